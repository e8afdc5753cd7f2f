import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/contracts/json.js';
import { checkAgainst, compileSchema, satisfies } from '../../../../src/planning/input/schemas.js';
import { errorOf } from '../../error-of.js';

const check = (schema: JsonObject, value: JsonObject): JsonObject =>
  checkAgainst(schema, value, { code: 'input.invalid', what: 'The input' });
const mistakesOf = (schema: JsonObject, value: JsonObject): string => errorOf(() => check(schema, value)).message;

describe('R-000-29: required fields, types and constraints', () => {
  const schema: JsonObject = {
    type: 'object',
    required: ['id'],
    properties: {
      id: { type: 'string', minLength: 2 },
      count: { type: 'integer', minimum: 1 },
      kind: { enum: ['a', 'b'] },
      fixed: { const: 3 },
      email: { type: 'string', format: 'email' },
      inner: { type: 'object', required: ['x'], properties: { x: { type: 'number' } } },
    },
    additionalProperties: false,
  };

  test('a value that satisfies them is returned unchanged', () => {
    const value = { id: 'ab', count: 2, kind: 'a', fixed: 3, email: 'a@b.test', inner: { x: 1.5 } };
    expect(check(schema, value)).toEqual(value);
  });

  test.each([
    [{}, /`id` is missing/],
    [{ id: 'ab', inner: {} }, /`inner\.x` is missing/],
    [{ id: 3 }, /`id` must be string/],
    [{ id: 'a' }, /`id` must NOT have fewer than 2 characters/],
    [{ id: 'ab', count: 1.5 }, /`count` must be integer/],
    [{ id: 'ab', count: 0 }, /`count` must be >= 1/],
    [{ id: 'ab', kind: 'c' }, /`kind` must be one of \["a","b"\]/],
    [{ id: 'ab', fixed: 4 }, /`fixed` must be 3/],
    [{ id: 'ab', email: 'x' }, /`email` must match format "email"/],
    [{ id: 'ab', typo: 1 }, /`typo` is not allowed/],
  ])('%j is refused with the name of the field', (value, message) => {
    expect(mistakesOf(schema, value as JsonObject)).toMatch(message);
  });

  test('all mistakes are reported at once', () => {
    const error = errorOf(() => check(schema, { count: 0, typo: 1 }));
    expect(error.code).toBe('input.invalid');
    expect(error.details).toEqual({
      errors: expect.arrayContaining(['`id` is missing', '`typo` is not allowed', expect.stringMatching(/`count`/)]),
    });
  });

  test('a text is not accepted as a number', () => {
    expect(mistakesOf(schema, { id: 'ab', count: '2' })).toMatch(/`count` must be integer/);
  });
});

test('R-000-30: an output schema distinguishes a success, an error and a partial result', () => {
  const rows: JsonObject = { type: 'array' };
  const output: JsonObject = {
    oneOf: [
      { required: ['rows'], properties: { status: { const: 'success' }, rows } },
      { required: ['error_code'], properties: { status: { const: 'error' }, error_code: { type: 'string' } } },
      { required: ['rows', 'missing'], properties: { status: { const: 'partial' }, rows, missing: { type: 'array' } } },
    ],
    required: ['status'],
  };
  const gives = (value: JsonObject): boolean => satisfies(output, value);
  expect(gives({ status: 'success', rows: [1] })).toBe(true);
  expect(gives({ status: 'error', error_code: 'E1' })).toBe(true);
  expect(gives({ status: 'partial', rows: [1], missing: ['b'] })).toBe(true);
  expect(gives({ status: 'success', error_code: 'E1' })).toBe(false);
  expect(gives({ status: 'error', rows: [] })).toBe(false);
  expect(gives({ status: 'partial', rows: [] })).toBe(false);
});

describe('defaults', () => {
  const schema: JsonObject = {
    type: 'object',
    required: ['n'],
    properties: {
      n: { type: 'integer', default: 3 },
      o: { type: 'object', default: {}, properties: { x: { default: 1 } } },
    },
  };

  test('are filled in before the value is checked', () => {
    expect(check(schema, {})).toEqual({ n: 3, o: { x: 1 } });
    expect(check(schema, { n: 4 })).toMatchObject({ n: 4 });
  });

  test('do not change the value that was passed', () => {
    const given = {};
    check(schema, given);
    expect(given).toEqual({});
  });

  test('are fresh for every value', () => {
    const first = check(schema, {});
    (first.o as JsonObject).x = 'changed';
    expect(check(schema, {})).toEqual({ n: 3, o: { x: 1 } });
  });

  test('that are invalid themselves are refused', () => {
    expect(mistakesOf({ properties: { n: { type: 'integer', default: 'x' } } }, {})).toMatch(/`n` must be integer/);
  });
});

describe('patterns', () => {
  test('run on RE2, so that none of them hangs', () => {
    const schema: JsonObject = { properties: { a: { type: 'string', pattern: '^(a+)+$' } } };
    const started = performance.now();
    expect(satisfies(schema, { a: `${'a'.repeat(20_000)}!` })).toBe(false);
    expect(performance.now() - started).toBeLessThan(2000);
  });

  test('belong to their own schema, whatever other schemas there are', () => {
    expect(satisfies({ type: 'string', pattern: '^first$' }, 'first')).toBe(true);
    expect(satisfies({ type: 'string', pattern: '^second$' }, 'first')).toBe(false);
    expect(mistakesOf({ properties: { id: { pattern: '^u-' } } }, { id: 'x' })).toMatch(/`id` must match pattern/);
    const both: JsonObject = { properties: { a: { pattern: '^a$' }, b: { pattern: '^b$' } } };
    expect([satisfies(both, { a: 'a', b: 'b' }), satisfies(both, { a: 'a', b: 'a' })]).toEqual([true, false]);
  });

  test('match anywhere unless they are anchored, and support Unicode', () => {
    expect(satisfies({ pattern: 'b' }, 'abc')).toBe(true);
    expect(satisfies({ pattern: '^\\p{L}+$' }, 'Zoë')).toBe(true);
    expect(satisfies({ patternProperties: { '^x-': { type: 'number' } } }, { 'x-a': 'no' })).toBe(false);
  });

  test('with look-around are refused when the schema is read', () => {
    expect(errorOf(() => compileSchema({ pattern: '(?!x)' }, '`input_schema`')).code).toBe('definition.invalid');
  });
});

describe('an invalid schema', () => {
  test.each([
    [{ type: 'objekt' }],
    [{ required: 'id' }],
    [{ properties: { a: 3 } }],
    [{ minimum: '1' }],
    [{ $ref: '#/$defs/missing' }],
    [{ $ref: 'https://example.test/schema.json' }],
  ])('%j is definition.invalid, and the message names the schema', (schema) => {
    const error = errorOf(() => compileSchema(schema as JsonObject, '`input_schema`'));
    expect(error.code).toBe('definition.invalid');
    expect(error.message).toMatch(/`input_schema` is not a JSON Schema/);
  });

  test('with a word in place of a schema is reported once, with the location and the right form', () => {
    const error = errorOf(() => compileSchema({ properties: { a: 'string' } }, '`input_schema`'));
    expect(error.message).toMatch(/: `properties\.a` must be object,boolean$/);
    expect(error.details).toEqual({ path: ['properties', 'a'] });
    expect(error.suggestion).toMatch(/\{ type: string \}/);
  });

  test('that is asynchronous is refused, because nothing waits for it', () => {
    expect(errorOf(() => check({ $async: true, type: 'object', required: ['x'] }, { x: 1 })).code).toBe(
      'definition.invalid',
    );
  });

  test('that refers to itself endlessly is an error and not a crash', () => {
    expect(errorOf(() => check({ allOf: [{ $ref: '#' }] }, {})).code).toMatch(/invalid/);
  });
});

describe('features of real schemas', () => {
  test('two schemas may have the same $id', () => {
    expect(satisfies({ $id: 'https://x.test/s', type: 'string' }, 'a')).toBe(true);
    expect(satisfies({ $id: 'https://x.test/s', type: 'number' }, 'a')).toBe(false);
  });

  test('references inside a schema are followed, even in cycles', () => {
    const tree: JsonObject = {
      $ref: '#/$defs/node',
      $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' }, n: { type: 'integer' } } } },
    };
    expect(satisfies(tree, { n: 1, next: { n: 2, next: {} } })).toBe(true);
    expect(satisfies(tree, { next: { next: { n: 'x' } } })).toBe(false);
  });

  test('unknown keywords do no harm', () => {
    expect(satisfies({ type: 'string', 'x-order': 1, example: 'a' }, 'a')).toBe(true);
  });

  test('values that JSON cannot represent are not numbers', () => {
    expect(satisfies({ type: 'number' }, Number.POSITIVE_INFINITY)).toBe(false);
  });
});

describe('a value with a misspelled name', () => {
  const schema: JsonObject = { required: ['text'], properties: { text: { type: 'string' } } };

  test('is refused with the intended name', () => {
    expect(errorOf(() => check(schema, { txt: 'a' })).suggestion).toBe(
      'Its schema does not list `txt`. Did you mean text?',
    );
  });

  test('is refused with the names in the schema, if it allows no others and none is similar', () => {
    const closed: JsonObject = { properties: { db: {}, keep: {} }, additionalProperties: false };
    expect(errorOf(() => check(closed, { database: 'a' })).suggestion).toBe('Its schema lists db, keep.');
  });

  test('is refused without a suggestion if no name is similar, or if the schema has the name', () => {
    expect(errorOf(() => check(schema, { colour: 'a' })).suggestion).toBeUndefined();
    const both: JsonObject = { required: ['text'], properties: { text: {}, texts: {} } };
    expect(errorOf(() => check(both, { texts: 'a' })).suggestion).toBeUndefined();
  });
});
