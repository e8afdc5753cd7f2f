import { describe, expect, test } from 'vitest';
import type { Json } from '../../../src/contracts/json.js';
import { compileExpression } from '../../../src/rules/expressions/evaluate.js';
import { evaluateTemplate } from '../../../src/rules/expressions/template.js';

const evaluate = (source: string, values: Record<string, Json> = {}) => compileExpression(source).evaluate({ values });
const failing = (action: () => unknown): { code: string; message: string; suggestion?: string } => {
  try {
    action();
  } catch (error) {
    return error as { code: string; message: string };
  }
  throw new Error('it did not fail');
};

describe('numbers', () => {
  test('whole numbers from JSON are ints and come back as numbers', () => {
    expect(evaluate('input.x + 1', { input: { x: 2 } })).toBe(3);
    expect(evaluate('input.x % 2', { input: { x: 7 } })).toBe(1);
    expect(evaluate('size(input.rows)', { input: { rows: [1, 2] } })).toBe(2);
  });

  test('ints and doubles mix in arithmetic and comparisons', () => {
    expect(evaluate('input.price + 0.5', { input: { price: 10 } })).toBe(10.5);
    expect(evaluate('0.5 * input.price', { input: { price: 10 } })).toBe(5);
    expect(evaluate('input.price > 9.5', { input: { price: 10 } })).toBe(true);
  });

  test('double literals keep all their digits', () => {
    expect(evaluate('0.1234567890123456')).toBe(0.1234567890123456);
    expect(evaluate('1e-12')).toBe(1e-12);
  });

  test('an int too large for JSON is an error, not another number', () => {
    expect(failing(() => evaluate('9007199254740993')).message).toMatch(/too large for JSON/);
  });
});

describe('missing values', () => {
  test('a missing key is an error that names the path', () => {
    const error = failing(() => evaluate('input.a.b == 1', { input: { a: {} } }));
    expect(error.code).toBe('expression.failed');
    expect(error.message).toMatch(/`input\.a\.b` does not exist/);
  });

  test('has() and optionals ask without failing', () => {
    expect(evaluate('has(input.ticket)', { input: {} })).toBe(false);
    expect(evaluate('input.?a.?b.orValue(0)', { input: {} })).toBe(0);
  });

  test('members of Object.prototype are not there', () => {
    for (const name of ['toString', '__proto__', 'constructor']) {
      expect(failing(() => evaluate(`input.${name}`, { input: {} })).message).toMatch(/does not exist/);
    }
    expect(failing(() => evaluate('constructor')).message).toMatch(/does not exist/);
  });
});

describe('results', () => {
  test('maps, lists and timestamps become JSON, in the order written', () => {
    expect(evaluate('{"b": 1, "a": [1, "x", null]}')).toEqual({ b: 1, a: [1, 'x', null] });
    expect(evaluate('timestamp("2026-01-02T03:04:05Z")')).toBe('2026-01-02T03:04:05.000Z');
  });

  test('a value that goes through unread is the same value', () => {
    const rows = [{ id: 1.5 }];
    expect(evaluate('input.rows', { input: { rows } })).toBe(rows);
  });

  test('filtered rows are plain values again', () => {
    expect(evaluate('input.filter(r, r.n > 1)', { input: [{ n: 1 }, { n: 2 }] })).toEqual([{ n: 2 }]);
  });

  test('now and uuid come from whoever evaluates', () => {
    const scope = { values: {}, now: () => 0, uuid: () => 'u-1' };
    expect(compileExpression('now() == timestamp("1970-01-01T00:00:00Z")').evaluate(scope)).toBe(true);
    expect(compileExpression('uuid()').evaluate(scope)).toBe('u-1');
    expect(failing(() => evaluate('now()')).message).toMatch(/only known while a task runs/);
  });
});

describe('limits', () => {
  const costly = (source: string, values: Record<string, Json> = {}) => {
    const before = performance.now();
    const { code } = failing(() => evaluate(source, values));
    return { code, ms: performance.now() - before };
  };
  const thousand = Array.from({ length: 1000 }, (_, index) => index);

  test.each([
    ['nested macros', 'l.all(a, l.all(b, l.all(c, a + b + c >= 0)))', { l: thousand }],
    ['repeated splits', 'l.all(a, size(t.split("")) >= 0)', { l: thousand, t: 'x'.repeat(100_000) }],
    ['repeated comparisons', 'l.all(a, l == l && l == l)', { l: thousand }],
    ['repeated text', 'l.all(a, size(t + t) >= 0)', { l: thousand, t: 'x'.repeat(100_000) }],
    ['repeated patterns', 'l.all(a, t.matches("(x?){90}x{90}y") || true)', { l: thousand, t: 'x'.repeat(10_000) }],
  ])('%s end as expression.too_costly and not as a hang', (_, source, values) => {
    const { code, ms } = costly(source, values);
    expect(code).toBe('expression.too_costly');
    expect(ms).toBeLessThan(1000);
  });

  test('length and depth are limited', () => {
    expect(failing(() => evaluate(`"${'x'.repeat(5000)}"`)).code).toBe('expression.too_costly');
    expect(failing(() => evaluate(`${'('.repeat(500)}1${')'.repeat(500)}`)).code).toBe('expression.too_costly');
  });

  test('a pattern that would hang a backtracking engine is answered at once', () => {
    expect(evaluate('t.matches("^(a+)+$")', { t: `${'a'.repeat(200)}!` })).toBe(false);
  });

  test('cel.bind, which can double a text a hundred times, is refused', () => {
    expect(failing(() => evaluate('cel.bind(a, "x", a + a)')).code).toBe('expression.syntax');
  });
});

describe('mistakes', () => {
  test.each([
    ['a = 1', /Compare with `==`/],
    ['a and b', /&&/],
    ['a ?? b', /orValue/],
  ])('%s is answered with the right form', (source, hint) => {
    const error = failing(() => evaluate(source, { a: true, b: true }));
    expect(error.code).toBe('expression.syntax');
    expect(error.suggestion).toMatch(hint);
  });

  test('an unknown function is found before anything runs', () => {
    expect(failing(() => compileExpression('frobnicate(input)')).code).toBe('expression.syntax');
    expect(failing(() => compileExpression('iterate_(input, 1)')).code).toBe('expression.syntax');
  });
});

test('references leave out names that macros bind, and give plain paths', () => {
  const { references } = compileExpression('steps.seed.output.rows.map(r, r.id + input.base) == names');
  expect(references).toEqual([
    { name: 'steps', path: ['seed', 'output', 'rows'] },
    { name: 'input', path: ['base'] },
    { name: 'names', path: [] },
  ]);
});

describe('templates', () => {
  const fill = (template: Json, values: Record<string, Json> = {}) => evaluateTemplate(template, { values });

  test('a lone expression keeps its type, one inside text becomes text', () => {
    expect(fill('${{ n }}', { n: 3 })).toBe(3);
    expect(fill('u-${{ n }}-${{ ok }}', { n: 3, ok: true })).toBe('u-3-true');
    expect(fill({ a: ['${{ l }}'] }, { l: [1] })).toEqual({ a: [[1]] });
  });

  test('braces and quotes inside an expression do not end it', () => {
    expect(fill('${{ {"a": "}}"} }}')).toEqual({ a: '}}' });
  });

  test('an absent optional leaves its member out', () => {
    expect(fill({ note: '${{ input.?note }}', id: 1 }, { input: {} })).toEqual({ id: 1 });
  });

  test('lists, maps and null inside text are expression.not_text', () => {
    expect(failing(() => fill('x ${{ l }}', { l: [] })).code).toBe('expression.not_text');
    expect(failing(() => fill('x ${{ n }}', { n: null })).code).toBe('expression.not_text');
  });

  test('a missing end is said', () => {
    expect(failing(() => fill('${{ a', { a: 1 })).message).toMatch(/no closing/);
  });
});
