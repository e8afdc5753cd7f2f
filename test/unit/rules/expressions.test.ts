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

  test('has() and optionals check without failing', () => {
    expect(evaluate('has(input.ticket)', { input: {} })).toBe(false);
    expect(evaluate('input.?a.?b.orValue(0)', { input: {} })).toBe(0);
  });

  test('members of Object.prototype do not exist', () => {
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

  test('a value that is passed through unread is the same value', () => {
    const rows = [{ id: 1.5 }];
    expect(evaluate('input.rows', { input: { rows } })).toBe(rows);
  });

  test('filtered rows are plain values again', () => {
    expect(evaluate('input.filter(r, r.n > 1)', { input: [{ n: 1 }, { n: 2 }] })).toEqual([{ n: 2 }]);
  });

  test('now and uuid are supplied by the caller', () => {
    const scope = { values: {}, now: () => 0, uuid: () => 'u-1' };
    expect(compileExpression('now() == timestamp("1970-01-01T00:00:00Z")').evaluate(scope)).toBe(true);
    expect(compileExpression('uuid()').evaluate(scope)).toBe('u-1');
    expect(failing(() => evaluate('now()')).message).toMatch(/available only while a task runs/);
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
  ])('%s fail with expression.too_costly instead of hanging', (_, source, values) => {
    const { code, ms } = costly(source, values);
    expect(code).toBe('expression.too_costly');
    expect(ms).toBeLessThan(1000);
  });

  const map = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n]));
  const list = (count: number) => Array.from({ length: count }, (_, n) => n);
  const text = (length: number) => 'x'.repeat(length);

  /** Processor time of this process, which other work on the machine does not affect; the least of three runs. */
  function millisecondsOf(source: string, values: Record<string, Json>): number {
    const times = [1, 2, 3].map(() => {
      const fresh = structuredClone(values);
      const before = process.cpuUsage();
      try {
        evaluate(source, fresh);
      } catch (error) {
        expect(error).toMatchObject({ code: 'expression.too_costly' });
      }
      const { user, system } = process.cpuUsage(before);
      return (user + system) / 1000;
    });
    return Math.min(...times);
  }

  test.each<[string, Record<string, Json>]>([
    ['m.all(a, m.all(b, true))', { m: map(223) }],
    ['m.all(a, m.all(b, true))', { m: map(1000) }],
    ['m.map(a, m.filter(b, m[a] == m[b]))', { m: map(129) }],
    ['m.exists(a, m.exists(b, m.exists(c, false)))', { m: map(36) }],
    ['m.map(a, a in m)', { m: map(223) }],
    ['m.map(a, size(m))', { m: map(1000) }],
    ['m.map(a, a)', { m: map(49_000) }],
    ['l.all(a, m.all(b, true))', { l: list(50_000), m: map(1000) }],
    ['l.all(a, k.all(b, true))', { l: list(50_000), k: list(10) }],
    ['l.all(a, size(t) > 0)', { l: list(1000), t: text(6000) }],
    ['l.all(a, [t, t].join("") != "")', { l: list(1000), t: text(3000) }],
    ['l.all(a, "x".contains(t) || true)', { l: list(1000), t: text(100_000) }],
    ['l.map(a, o.a.b.c.d == a && string(a) != "x")', { l: list(15_000), o: { a: { b: { c: { d: 1 } } } } }],
  ])('no expression runs longer than 100 ms, whatever it iterates over: %s', (source, values) => {
    expect(millisecondsOf(source, values)).toBeLessThan(100);
  });

  test('a macro iterates over the keys of a map, and over the items of a list', () => {
    const m = { a: 1, b: 2 };
    expect(evaluate('m.map(k, m.map(l, k + l))', { m })).toEqual([
      ['aa', 'ab'],
      ['ba', 'bb'],
    ]);
    expect(evaluate('m.filter(k, m[k] > 1)', { m })).toEqual(['b']);
    expect(evaluate('m.exists(k, k == "a") && m.all(k, m[k] > 0) && m.exists_one(k, m[k] == 2)', { m })).toBe(true);
    expect(evaluate('{"x": 1, "y": 2}.map(k, k)', {})).toEqual(['x', 'y']);
    expect(failing(() => evaluate('t.map(k, k)', { t: 'text' })).code).toBe('expression.failed');
    expect(failing(() => evaluate('n.all(k, true)', { n: 7 })).code).toBe('expression.failed');
  });

  test('the cost of an expression does not depend on earlier evaluations', () => {
    const values = { m: map(220) };
    const source = 'm.all(a, m.all(b, b != ""))';
    const first = failing(() => evaluate(source, structuredClone(values))).code;
    const again = [1, 2].map(() => failing(() => evaluate(source, values)).code);
    expect(again).toEqual([first, first]);
  });

  test('length and depth are limited', () => {
    expect(failing(() => evaluate(`"${'x'.repeat(5000)}"`)).code).toBe('expression.too_costly');
    expect(failing(() => evaluate(`${'('.repeat(500)}1${')'.repeat(500)}`)).code).toBe('expression.too_costly');
  });

  test('a pattern that would hang a backtracking engine is evaluated at once', () => {
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
  ])('%s is refused with a suggestion of the right form', (source, hint) => {
    const error = failing(() => evaluate(source, { a: true, b: true }));
    expect(error.code).toBe('expression.syntax');
    expect(error.suggestion).toMatch(hint);
  });

  test('an unknown function is detected before anything runs', () => {
    expect(failing(() => compileExpression('frobnicate(input)')).code).toBe('expression.syntax');
    expect(failing(() => compileExpression('iterate_(input, 1)')).code).toBe('expression.syntax');
  });
});

test('references omit names that macros bind, and are plain paths', () => {
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

  test('an absent optional omits its member', () => {
    expect(fill({ note: '${{ input.?note }}', id: 1 }, { input: {} })).toEqual({ id: 1 });
  });

  test('lists, maps and null inside text fail with expression.not_text', () => {
    expect(failing(() => fill('x ${{ l }}', { l: [] })).code).toBe('expression.not_text');
    expect(failing(() => fill('x ${{ n }}', { n: null })).code).toBe('expression.not_text');
  });

  test('a missing end is reported', () => {
    expect(failing(() => fill('${{ a', { a: 1 })).message).toMatch(/no closing/);
  });
});
