import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../../src/contracts/json.js';
import { checkSchema, compileSchema, satisfies } from '../../../../../src/planning/input/schemas.js';
import { errorOf } from '../../../error-of.js';
import { lowLevel, resolved, SCRIPT, SCRIPT_FILE } from '../../../temporary-project.js';

describe('keywords that the validator reads differently from JSON Schema are refused by name', () => {
  test.each<[JsonObject, string, string[], RegExp]>([
    [{ items: { $dynamicRef: '#a' } }, 'feature.unsupported', ['items', '$dynamicRef'], /uses `\$dynamicRef`/],
    [{ allOf: [{ $recursiveRef: '#' }] }, 'feature.unsupported', ['allOf', '0', '$recursiveRef'], /`\$recursiveRef`/],
    [{ contains: true, unevaluatedItems: false }, 'feature.unsupported', ['unevaluatedItems'], /with `contains`/],
    [{ anyOf: [{ contains: {} }], unevaluatedItems: false }, 'feature.unsupported', ['unevaluatedItems'], /contains/],
    [{ properties: { a: { enum: [] } } }, 'definition.invalid', ['properties', 'a', 'enum'], /without values/],
    [
      { properties: { toString: { default: 'x' } } },
      'feature.unsupported',
      ['properties', 'toString', 'default'],
      /never filled in/,
    ],
    [{ properties: { a: { $ref: 'b.json' } } }, 'definition.invalid', ['properties', 'a', '$ref'], /not followed/],
    [{ items: { $ref: '#/$defs/b' } }, 'definition.invalid', ['items', '$ref'], /leads nowhere/],
    [{ items: { $ref: '#b' } }, 'definition.invalid', ['items', '$ref'], /leads nowhere/],
    [
      { $defs: { a: { $anchor: 'x' }, b: { $anchor: 'x' } } },
      'definition.invalid',
      ['$defs', 'b', '$anchor'],
      /the same name for two schemas/,
    ],
  ])('%j', (schema, code, path, message) => {
    for (const check of [checkSchema, compileSchema]) {
      const error = errorOf(() => check(structuredClone(schema), '`input_schema`'));
      expect([error.code, error.details]).toEqual([code, { path }]);
      expect(error.message).toMatch(message);
      expect(error.suggestion).toBeTruthy();
    }
  });

  test('at load, with the location in the file', () => {
    const files = {
      ...SCRIPT_FILE,
      ...lowLevel(
        'db.read',
        'input_schema:',
        '  type: object',
        '  properties:',
        '    a: { $dynamicRef: "#x" }',
        SCRIPT,
      ),
    };
    const error = errorOf(() => resolved(files, 'db.read'));
    expect(error).toMatchObject({
      code: 'feature.unsupported',
      location: { file: 'registry/low-level/db.read.yaml', line: 7, column: 23 },
    });
  });
});

test('a name in one schema is unknown to another one', () => {
  const item: JsonObject = { $id: 'https://shop.test/item', type: 'number' };
  expect(satisfies({ $defs: { item }, $ref: 'https://shop.test/item' }, 1)).toBe(true);
  const stranger: JsonObject = { title: 'stranger', $ref: 'https://shop.test/item' };
  expect(errorOf(() => compileSchema(stranger, 'It')).message).toMatch(/not followed/);
  const other: JsonObject = { $defs: { item: { ...item, type: 'string' } }, $ref: 'https://shop.test/item' };
  expect(satisfies(other, 'x')).toBe(true);
});

test('checking that many items are unique takes time in proportion to their number', () => {
  const items = Array.from({ length: 20_000 }, (_, index) => ({ index }));
  const started = performance.now();
  expect(satisfies({ uniqueItems: true }, items)).toBe(true);
  expect(performance.now() - started).toBeLessThan(5000);
});
