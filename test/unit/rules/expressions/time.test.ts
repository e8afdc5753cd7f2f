import { expect, test } from 'vitest';
import type { Json } from '../../../../src/contracts/json.js';
import { compileExpression } from '../../../../src/rules/expressions/evaluate.js';

const MOST_MS = 100;

const l = Array.from({ length: 1000 }, (_, index) => index);
const t = 'x'.repeat(100_000);
const rows = Array.from({ length: 99_000 }, (_, id) => ({ id }));
const megabyte = 'x'.repeat(1_000_000);
const most = 'x'.repeat(6_000_000);

/** Compiles and evaluates. @returns the least processor time of three runs, in ms: others share the machine. */
function timeOf(source: string, values: Record<string, Json>): number {
  const once = (): number => {
    // The counts of a value are known from the first run, so each run gets a copy.
    const fresh = structuredClone(values);
    const before = process.cpuUsage();
    try {
      compileExpression(source).evaluate({ values: fresh });
    } catch {
      // Only the time counts here.
    }
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
  return Math.min(once(), once(), once());
}

test('bytes are counted like text, without listing them', () => {
  const size = (text: string) => compileExpression('bytes(t).size()').evaluate({ values: { t: text } });
  expect(size(megabyte)).toBe(1_000_000);
  expect(() => size(most)).toThrow(expect.objectContaining({ code: 'expression.too_costly' }));
});

test.each([
  ['macros in macros', 'l.all(a, l.all(b, l.all(c, a + b + c >= 0)))', { l }],
  ['macros that build lists', 'l.map(a, l.map(b, l.map(c, a * b * c)))', { l }],
  ['membership in a big list', 'l.filter(a, l.exists(b, b == a && b in l))', { l }],
  ['equality of big lists', 'l.all(a, l == l)', { l }],
  ['a regular expression that backtracks elsewhere', `t.matches('^(x+)+$') && !t.matches('(x|xx)*y')`, { t: `${t}!` }],
  ['a regular expression in a macro', `l.all(a, t.matches('(x+x+)+y'))`, { l, t }],
  ['a regular expression with big counts', `t.matches('((x{1,30}){1,30}){1,2}y')`, { t }],
  ['splits and joins', `l.all(a, size(t.split('').map(c, c + c).join('')) > 0)`, { l, t }],
  ['text that doubles', `l.map(a, t + t + t + t).all(x, size(x) > 0)`, { l, t }],
  ['a megabyte as bytes', 'bytes(t).size()', { t: megabyte }],
  ['six megabytes as bytes', 'bytes(t).size()', { t: most }],
  ['bytes compared', '[bytes(t)] == [bytes(t)]', { t: most }],
  [
    'bytes written out in a macro',
    '[bytes(t)].map(b, l.map(a, b.hex() + b.base64() + b.string()))',
    { l, t: megabyte },
  ],
  ['bytes read as JSON', 'bytes(t).json()', { t: JSON.stringify(rows) }],
  ['many objects taken as they are', 'rows.map(r, r)', { rows }],
  ['a field of many objects', 'rows.map(r, r.id)', { rows }],
  ['equality of many objects', 'rows == rows.map(r, r)', { rows: rows.slice(0, 30_000) }],
  ['deep brackets', `${'('.repeat(1000)}1${')'.repeat(1000)}`, {}],
  ['a long sum', Array(2000).fill('1').join('+'), {}],
  ['a long chain of conditions', `${'true ? '.repeat(300)}1${' : 0'.repeat(300)}`, {}],
])('%s: no more than 100 ms', (_, source, values: Record<string, Json>) => {
  expect(timeOf(source, values)).toBeLessThan(MOST_MS);
});
