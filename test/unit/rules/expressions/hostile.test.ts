import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { AbilityError } from '../../../../src/contracts/problem.js';
import { compileExpression } from '../../../../src/rules/expressions/evaluate.js';

const PIECES = [
  ...[
    'a',
    'input',
    'now',
    'has',
    'all',
    'map',
    'size',
    'optional',
    'google.protobuf.Timestamp',
    'int',
    'true',
    'null',
    'in',
  ],
  ...[
    '.',
    '?',
    '.?',
    '[',
    '[?',
    ']',
    '(',
    ')',
    '{',
    '}',
    ',',
    ':',
    '+',
    '-',
    '*',
    '/',
    '%',
    '!',
    '&&',
    '||',
    '==',
    '<',
    '>=',
  ],
  ...[
    '1',
    '1u',
    '-1',
    '1.5',
    '9223372036854775808',
    "'x'",
    "'😀'",
    'b"\\xff"',
    'r"\\"',
    '`x`',
    '//',
    '\n',
    '"',
    '\\',
    '\u0000',
    '𝒳',
  ],
];

/** The value of an expression, or its error if it is invalid, too costly or fails. */
function outcome(source: string): unknown {
  try {
    const scope = { values: { a: [1, 'x', { b: null }], input: { a: 1.5 } }, now: () => 0 };
    return compileExpression(source).evaluate(scope);
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    expect(error.code, source).toMatch(/^expression\.(syntax|failed|too_costly)$/);
    return error;
  }
}

describe('arbitrary text as an expression', () => {
  test('has a value or is refused with an expression code', () => {
    const sources = fc.array(fc.constantFrom(...PIECES), { maxLength: 14 }).map((pieces) => pieces.join(''));
    fc.assert(
      fc.property(sources, (source) => void outcome(source)),
      { numRuns: 5000 },
    );
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 30 }), (source) => void outcome(source)),
      { numRuns: 2000 },
    );
  });

  test.each([
    ['brackets', (n: number) => `${'['.repeat(n)}${']'.repeat(n)}`],
    ['parentheses', (n: number) => `${'('.repeat(n)}1${')'.repeat(n)}`],
    ['negations', (n: number) => `${'!'.repeat(n)}true`],
    ['members', (n: number) => `a${'.b'.repeat(n)}`],
    ['conditions', (n: number) => `${'true ? '.repeat(n)}1${' : 2'.repeat(n)}`],
    ['macros in macros', (n: number) => `${'[1].map(x, '.repeat(n)}x${')'.repeat(n)}`],
  ])('%s that are nested too deeply are too costly', (_, make) => {
    expect(outcome(make(300))).toMatchObject({ code: 'expression.too_costly' });
    expect(outcome(make(20))).not.toMatchObject({ code: 'expression.too_costly' });
  });

  test('a list in a macro cannot grow beyond the visit limit', () => {
    const doubling = `${'[0, 1].map(x, '.repeat(17)}x${')'.repeat(17)}`;
    expect(outcome(doubling)).toMatchObject({ code: 'expression.too_costly' });
  });
});

test.each(['a +', 'a.', '[1,', '', '(1'])('an expression that ends early is reported as such (%j)', (text) => {
  expect(() => compileExpression(text)).toThrow(/Unexpected end/);
});
