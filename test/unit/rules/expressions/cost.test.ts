import { expect, test } from 'vitest';
import type { Json } from '../../../../src/contracts/json.js';
import { compileExpression } from '../../../../src/rules/expressions/evaluate.js';
import { errorOf } from '../../error-of.js';

const list = (count: number) => Array.from({ length: count }, (_, n) => n);
const map = (count: number) => Object.fromEntries(list(count).map((n) => [`k${n}`, n]));
const text = (length: number) => 'x'.repeat(length);

const evaluate = (source: string, values: Record<string, Json>) => compileExpression(source).evaluate({ values });
const codeOf = (source: string, values: Record<string, Json>) => errorOf(() => evaluate(source, values)).code;

/** The maximum number of visits of an expression. */
const MOST = 100_000;

test.each<[string, string, Record<string, Json>, Record<string, Json>]>([
  ['an item of a list is one visit', 'size(v)', { v: list(MOST) }, { v: list(MOST + 1) }],
  ['a member of a map is two', 'size(v)', { v: map(MOST / 2) }, { v: map(MOST / 2 + 1) }],
  ['64 characters of a text are one', 'size(v)', { v: text(64 * MOST) }, { v: text(64 * MOST + 1) }],
  ['a turn of a macro is one', 'v.all(a, true)', { v: list(MOST) }, { v: list(MOST + 1) }],
  ['a turn is one more for each three nodes of its body', 'v.all(a, !false)', { v: list(MOST) }, { v: list(MOST + 1) }],
  ['also with three nodes', 'v.all(a, !!true)', { v: list(MOST / 2) }, { v: list(MOST / 2 + 1) }],
  ['a turn over a map is two', 'v.all(a, true)', { v: map(MOST / 2) }, { v: map(MOST / 2 + 1) }],
  ['equality reads the left side', 'v == 1', { v: [list(MOST - 1)] }, { v: [list(MOST)] }],
  ['and the right one', '1 == v', { v: [list(MOST - 1)] }, { v: [list(MOST)] }],
  ['so does membership of what is looked for', 'v in [1]', { v: [list(MOST - 2)] }, { v: [list(MOST - 1)] }],
  ['and of where', '"a" in v', { v: list(MOST - 1) }, { v: list(MOST) }],
  ['a text is compared by its characters', 'v == 1', { v: text(64 * MOST) }, { v: text(64 * MOST + 1) }],
  ['texts in lists as well', 'v == 1', { v: [text(64 * (MOST - 1))] }, { v: [text(64 * (MOST - 1) + 1)] }],
  ['maps in maps as well', 'v == 1', { v: { a: map(MOST / 2 - 1) } }, { v: { a: map(MOST / 2) } }],
])('%s: %s', (_, source, allowed, refused) => {
  expect(() => evaluate(source, allowed)).not.toThrow();
  expect(codeOf(source, refused)).toBe('expression.too_costly');
});

test.each<[string, Record<string, Json>]>([
  ['l.all(a, {"a": l, "b": l} == 1 || true)', { l: list(1000) }],
  ['l.all(a, [l, l] == 1 || true)', { l: list(1000) }],
  ['l.all(a, optional.of(l) == 1 || true)', { l: list(1000) }],
  ['l.all(a, {"a": 1, "b": 2} in l || true)', { l: list(1000) }],
  ['l.all(a, bytes(t) == 1 || true)', { l: list(1000), t: text(100_000) }],
  ['l.map(a, size(m))', { l: list(1000), m: map(1000) }],
  ['l.all(a, l.join("") != "")', { l: Array(1000).fill('x') }],
  ['l.all(a, [t, t].join("") != "")', { l: list(1000), t: text(100_000) }],
  ['l.all(a, t.matches("x{100}y") || true)', { l: list(1000), t: text(10_000) }],
  ['l.all(a, bytes(t).hex() == "" || true)', { l: list(1000), t: text(1000) }],
  ['l.all(a, bytes(t).base64() == "" || true)', { l: list(1000), t: text(1000) }],
  ['l.all(a, size(bytes(t).json()) > 0)', { l: list(1000), t: `"${text(1000)}"` }],
  ['l.all(a, t < "a" || true)', { l: list(1000), t: text(100_000) }],
  ['l.all(a, type([t, t].join()) == string)', { l: list(1000), t: text(100_000) }],
  ['l.all(a, sum(l) > 0 || true)', { l: list(1000) }],
])('%s costs too much, although no part of it does', (source, values) => {
  expect(codeOf(source, values)).toBe('expression.too_costly');
});

test('most functions read only the top level of a value', () => {
  expect(evaluate('size(v)', { v: [list(MOST)] })).toBe(1);
});

test('a failure after the last allowed visit is reported as that failure', () => {
  expect(codeOf('size(v) + 1 / 0', { v: list(MOST) })).toBe('expression.failed');
});

test('operators that ignore failures do not ignore the cost limit', () => {
  const values = { v: list(MOST + 1), l: list(10) };
  for (const source of ['size(v) > 0 || true', 'size(v) < 0 && false', 'l.exists(a, size(v) > 0 || a == 9)']) {
    expect(codeOf(source, values)).toBe('expression.too_costly');
  }
});

test.each([
  ['characters', (count: number) => `"${text(count - 2)}"`, 4096],
  ['brackets', (count: number) => `${'('.repeat(count)}1${')'.repeat(count)}`, 63],
  ['members', (count: number) => `a${'.b'.repeat(count)}`, 63],
  ['elements', (count: number) => `a${'[0]'.repeat(count)}`, 62],
  ['negations', (count: number) => `${'!'.repeat(count)}true`, 63],
  ['choices', (count: number) => `${'true ? 1 : '.repeat(count)}1`, 63],
  ['numbers that are added', (count: number) => Array(count).fill('1').join('+'), 1000],
])('the maximum number of %s is allowed, and one more is too costly', (_, write, most) => {
  expect(compileExpression(write(most)).source).toBe(write(most));
  expect(errorOf(() => compileExpression(write(most + 1))).code).toBe('expression.too_costly');
});

test('an expression may have up to 2000 parts', () => {
  const ones = Array(999).fill('1').join('+');
  expect(compileExpression(`-a+${ones}`).functions).toEqual([]);
  expect(errorOf(() => compileExpression(`--a+${ones}`)).code).toBe('expression.too_costly');
});

test('members of one chain do not count towards the next', () => {
  const chain = `a${'.b'.repeat(50)}`;
  expect(compileExpression(`${chain} == ${chain} && size(${chain}[${'(1)'}]) > 0`).references).toHaveLength(3);
});
