import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileExpression } from '../../../../src/rules/expressions/evaluate.js';
import type { Node } from '../../../../src/rules/expressions/syntax/node.js';
import { parseCel } from '../../../../src/rules/expressions/syntax/parse.js';
import { writeExpression } from '../../../../src/rules/expressions/write.js';

/** An expression without source positions; the grouping of a chain of `&&` or `||` makes no difference. */
function shapeOf({ op, args }: Node): unknown {
  if (op === '&&' || op === '||') return [op, ...chained(op, { op, args })];
  return [op, shapeOfPart(args)];
}

function chained(op: string, node: Node): unknown[] {
  return node.op === op ? (node.args as Node[]).flatMap((one) => chained(op, one)) : [shapeOf(node)];
}

function shapeOfPart(part: unknown): unknown {
  if (Array.isArray(part)) return part.map(shapeOfPart);
  if (part !== null && typeof part === 'object' && 'op' in part) return shapeOf(part as Node);
  return String(part);
}

const leaf = fc.constantFrom(
  'a',
  'a.b',
  'a.?b',
  '-1',
  '1',
  '2.5',
  "'x'",
  '[1, 2]',
  "{'k': 1}",
  'size(a)',
  'a[0]',
  'a.map(x, x)',
);

function expression(depth: number): fc.Arbitrary<string> {
  if (depth === 0) return leaf;
  const inner = expression(depth - 1);
  const operators = ['||', '&&', '==', '!=', '<', '<=', '>', '>=', 'in', '+', '-', '*', '/', '%'];
  return fc.oneof(
    leaf,
    fc.tuple(inner, fc.constantFrom(...operators), inner).map(([a, operator, b]) => `(${a}) ${operator} (${b})`),
    fc.tuple(inner, inner, inner).map(([a, b, c]) => `(${a}) ? (${b}) : (${c})`),
    fc.tuple(fc.constantFrom('!', '-'), inner).map(([operator, one]) => `${operator}(${one})`),
    fc.tuple(fc.constantFrom('.f', '[0]', '.?f', '[?0]', '.g(a)'), inner).map(([access, one]) => `(${one})${access}`),
  );
}

describe('an expression that is written as text', () => {
  test('reads back as the same expression', () => {
    fc.assert(
      fc.property(expression(4), (source) => {
        const tree = parseCel(source);
        expect(shapeOf(parseCel(writeExpression(tree))), source).toEqual(shapeOf(tree));
      }),
      { numRuns: 1500 },
    );
  });

  test.each([
    ['input.a - (input.b - input.c)', 7],
    ['input.a - (input.b + input.c)', 3],
    ['input.a * (input.b % input.c)', 10],
    ['input.a / (input.b / input.c)', 5],
    ['-(input.t ? input.a : input.b)', -10],
    ['(input.t ? input.f : input.t) ? 1 : 2', 2],
  ])('is evaluated with its parentheses: %s', (source, value) => {
    const input = { a: 10, b: 5, c: 2, t: true, f: false };
    expect(compileExpression(source).evaluate({ values: { input } })).toBe(value);
  });

  test.each([
    '-(1)',
    '!(1)',
    '-"a"',
    '-a.b',
    '-(-1)',
    '(-1).f()',
    '(-1.5).f()',
    '0.f()',
    '1.f()',
    '1.5 - -1',
    '2.0 + 1e+100',
    'a.`b-c`.d',
    '.a.b',
    'b"\\x00\\xff"',
    '5u',
    '{"a\\"\\\\": [1, null, true]}',
    'a ? b : c ? d : e',
    '(a ? b : c) ? d : e',
    'a[?b].?c[0]',
    '(a + b) * c - d - (e - f)',
    '!(a && b) || c in d',
    'a == b < c',
    'a == (b < c)',
  ])('is written the way people write it: %s', (source) => {
    expect(writeExpression(parseCel(source))).toBe(source);
  });

  test('may be a long chain, which does not count as deep', () => {
    const source = Array.from({ length: 200 }, () => 'input.a').join(' + ');
    expect(compileExpression(source).evaluate({ values: { input: { a: 1 } } })).toBe(200);
    const conditions = Array.from({ length: 200 }, () => 'input.t').join(' && ');
    expect(compileExpression(conditions).evaluate({ values: { input: { t: true } } })).toBe(true);
  });
});

test.each([
  ['10 - (5 - 2)', 7],
  ['2 * (7 % 4)', 6],
  ['1 + 2 * 3', 7],
])('the parentheses of %s count', (source, value) => {
  expect(compileExpression(source).evaluate({ values: {} })).toBe(value);
});
