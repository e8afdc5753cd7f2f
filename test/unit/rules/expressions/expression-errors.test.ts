import { expect, test } from 'vitest';
import { compileExpression, noSuchFunction } from '../../../../src/rules/expressions/evaluate.js';
import { errorOf } from '../../error-of.js';

const refused = (source: string) => errorOf(() => compileExpression(source));
const failed = (source: string, values = {}) => errorOf(() => compileExpression(source).evaluate({ values }));

test.each([
  ['a = 1', 'Compare with `==`.'],
  ['=1', 'Compare with `==`.'],
  [`input.text == "a = b" input.other == 'it\\'s = c'`, 'Write CEL, such as `steps.seed.output.status == "success"`.'],
  ['a and b', 'Write `&&`, `||` and `!`.'],
  ['not a', 'Write `&&`, `||` and `!`.'],
  ['a === b', 'Write `==` and `!=`.'],
  ['a !== b', 'Write `==` and `!=`.'],
  ['a ?? b', 'Write `input.?name.orValue(other)`.'],
  ['a?.b', 'Write `input.?name`, with the dot before the question mark.'],
  ['a <= ', 'Write CEL, such as `steps.seed.output.status == "success"`.'],
])('%s is refused with the intended form', (source, suggestion) => {
  expect(refused(source)).toMatchObject({ code: 'expression.syntax', suggestion });
});

test.each([
  ['a + + b', { start: 4, end: 5 }],
  ['a +', { start: 3, end: 3 }],
  ['a @', { start: 2, end: 3 }],
  ['"a', { start: 0, end: 2 }],
  ['a + "\\q"', { start: 4, end: 8 }],
  ["'a\nb'", { start: 2, end: 3 }],
  ['1 + 99999999999999999999', { start: 4, end: 24 }],
  ['1 + 9223372036854775808', { start: 4, end: 23 }],
  ['a.map(1, b)', { start: 2, end: 5 }],
  ['1 + if', { start: 4, end: 6 }],
  ['😀', { start: 0, end: 2 }],
  ['1 + 9223372036854775808', { start: 4, end: 23 }],
])('%s is refused with the location of the mistake', (source, range) => {
  expect(refused(source).details).toEqual({ range });
});

test.each([
  ['(1', 'Unexpected end, expected )'],
  ['1 b', 'Unexpected b'],
  ['1 2', 'Unexpected literal'],
])('%s is refused with the unexpected part: %s', (source, summary) => {
  expect(refused(source).message).toMatch(new RegExp(`${summary.replace(/[)]/g, '\\)')}$`));
});

test('an expression that is wrong as a whole is refused without a location', () => {
  expect(refused('1 + "a"').details).toBeUndefined();
});

test.each([
  ['1 + "a"', 'int + string'],
  ['-"a"', "'-string'"],
  ['size(1)', 'size(int)'],
  ['"a".contains(1)', 'contains(string, int)'],
  ['1 in "a"', 'in(int, string)'],
  ['a in 1', 'in(dyn, int)'],
])('%s is refused with the types of its operands: %s', (source, kinds) => {
  expect(refused(source).message).toContain(kinds);
});

test.each([
  ['1 && true', 'int && bool'],
  ['1 || false', 'int || bool'],
])('%s fails with the types of its operands: %s', (source, kinds) => {
  expect(failed(source).message).toContain(kinds);
});

test.each([-1, 3])('a byte %i that does not exist is named', (place) => {
  expect(failed(`b"abc".at(${place})`).message).toContain(`there is no byte ${place}`);
});

test.each([
  ['int', 'a type'],
  ['b"a"', 'bytes'],
  ['1.0 / 0.0', 'Infinity'],
])('%s is refused as a result, with its kind: %s', (source, what) => {
  expect(failed(source).message).toBe(`The expression gives ${what}, which is no JSON value`);
});

test('a name that does not exist is reported with a way to check for it', () => {
  const error = failed('size(input.a.b) == 1', { input: { a: {} } });
  expect(error.message).toMatch(/^`input\.a\.b` does not exist/);
  expect(error.suggestion).toContain('has(input.a.b)');
  expect(failed('input.l[1] == 1', { input: { l: [] } }).message).toMatch(/^`input\.l\[1\]` does not exist/);
});

test('any other failure has no such suggestion', () => {
  expect(failed('1 / 0')).toMatchObject({ message: '`1 / 0` cannot be evaluated: division by zero' });
  expect(failed('1 / 0').suggestion).toBeUndefined();
});

test('an internal error is a failure with its message', () => {
  const input = Object.defineProperty({}, 'a', {
    enumerable: true,
    get() {
      throw new TypeError('a mistake of ours');
    },
  });
  expect(failed('input.a', { input }).message).toBe('`input.a` cannot be evaluated: a mistake of ours');
});

test('only the beginning of a long expression is shown', () => {
  const sourceOf = (length: number) =>
    `1 / 0 + ${'1'.repeat(length - 8)}`.replace(/1+$/, (ones) => `"${'x'.repeat(ones.length - 2)}"`);
  const shown = (length: number) => refused(sourceOf(length)).message;
  expect(shown(120)).toContain(`\`${sourceOf(120)}\``);
  expect(shown(121)).toContain(`\`${sourceOf(121).slice(0, 117)}...\``);
});

test('an unknown function is named, with the expression if there is one', () => {
  expect(refused('frobnicate(1)').message).toBe(
    'The expression `frobnicate(1)` is not valid: There is no function frobnicate',
  );
  expect(refused('cel.bind(a, 1, a)').message).toMatch(/There is no function cel\.bind$/);
  expect(noSuchFunction('sum').message).toBe('There is no function sum');
});

test.each(['now()', 'uuid()'])('%s fails outside of a task', (source) => {
  expect(failed(source).message).toContain('available only while a task runs');
});
