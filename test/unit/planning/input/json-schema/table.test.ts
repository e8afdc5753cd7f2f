// biome-ignore-all lint/suspicious/noThenProperty: `then` is a keyword of JSON Schema
import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../../../src/contracts/json.js';
import { satisfies } from '../../../../../src/planning/input/schemas.js';

type Row = [schema: JsonObject, value: Json, isValid: boolean];

/**
 * The kinds of cases in the public suite, with our own examples; the suite itself is run by `npm run
 * test:conformance`.
 */
const KINDS: Record<string, Row[]> = {
  'names that every object has': [
    [{ required: ['toString'] }, {}, false],
    [{ required: ['toString'] }, { toString: 1 }, true],
    [{ required: ['hasOwnProperty', 'valueOf'] }, { valueOf: 1 }, false],
    [{ properties: { toString: { type: 'string' } } }, {}, true],
    [{ properties: { toString: { type: 'string' } } }, { toString: 1 }, false],
    [{ properties: { valueOf: { properties: { isPrototypeOf: { type: 'number' } } } } }, { valueOf: {} }, true],
    [{ additionalProperties: false }, {}, true],
    [{ properties: { a: {} }, additionalProperties: false }, { toString: 1 }, false],
    [{ dependentRequired: { toString: ['a'] } }, {}, true],
    [{ dependentRequired: { a: ['toString'] } }, { a: 1 }, false],
    [{ dependentRequired: { toString: ['a'] } }, { toString: 1 }, false],
    [{ dependentSchemas: { valueOf: false } }, {}, true],
    [{ dependentSchemas: { valueOf: false } }, { valueOf: 1 }, false],
    [{ propertyNames: { maxLength: 3 } }, {}, true],
    [{ propertyNames: { maxLength: 3 } }, { toString: 1 }, false],
    [{ patternProperties: { '^to': { type: 'string' } } }, { toString: 1 }, false],
    [{ minProperties: 1 }, {}, false],
    [{ allOf: [{ properties: { a: true } }], unevaluatedProperties: false }, { toString: 1 }, false],
    [{ anyOf: [{ properties: { a: true } }, {}], unevaluatedProperties: false }, { valueOf: 1 }, false],
  ],
  'values that are equal': [
    [{ const: { a: 1, b: [2] } }, { b: [2], a: 1 }, true],
    [{ const: { toString: 1 } }, { toString: 1 }, true],
    [{ const: { a: 1 } }, { toString: 1 }, false],
    [{ const: { valueOf: 1 } }, { valueOf: 2 }, false],
    [{ enum: [{ a: 1 }, 'x', null] }, { a: 1 }, true],
    [{ enum: [{ a: 1 }, 'x', null] }, { toString: 1 }, false],
    [{ enum: [1, '2'] }, 2, false],
    [{ enum: [[0]] }, [false], false],
    [{ const: 0 }, false, false],
    [
      { uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      false,
    ],
    [{ uniqueItems: true }, [{ toString: 1 }, { toString: 2 }], true],
    [{ uniqueItems: true }, [1, '1', true, [1]], true],
    [{ uniqueItems: true }, [1, 1.0], false],
    [{ uniqueItems: false }, [1, 1], true],
  ],
  multiples: [
    [{ multipleOf: 0.01 }, 19.99, true],
    [{ multipleOf: 0.01 }, 19.999, false],
    [{ multipleOf: 0.1 }, 0.3, true],
    [{ multipleOf: 3 }, -9, true],
    [{ multipleOf: 0.5 }, 1e308, true],
    [{ multipleOf: 1e-8 }, 12391239123, true],
    [{ type: 'integer', multipleOf: 0.123456789 }, 1e308, false],
    [{ multipleOf: 2 }, 'x', true],
  ],
  references: [
    [{ $ref: '#/$defs/a', $defs: { a: { type: 'number' } } }, 'x', false],
    [{ $ref: '#a', $defs: { any: { $anchor: 'a', type: 'number' } } }, 'x', false],
    [{ $ref: '#a', $defs: { any: { $dynamicAnchor: 'a', type: 'number' } } }, 1, true],
    [{ $ref: 'b', $id: 'https://shop.test/a', $defs: { b: { $id: 'b', type: 'number' } } }, 'x', false],
    [{ $ref: 'urn:shop:b', $defs: { b: { $id: 'urn:shop:b', type: 'number' } } }, 'x', false],
    [{ $ref: '#/$defs/a%25b~1c', $defs: { 'a%b/c': { type: 'number' } } }, 'x', false],
    [{ properties: { $ref: { type: 'string' } } }, { $ref: 1 }, false],
    [{ const: { $ref: '#/nowhere' } }, { $ref: '#/nowhere' }, true],
    [{ properties: { next: { $ref: '#' } }, required: ['n'] }, { n: 1, next: { next: {} } }, false],
    [{ $ref: '#/other/a', other: { a: { $ref: '#/$defs/b' } }, $defs: { b: { type: 'number' } } }, 'x', false],
    [{ $ref: '#/$defs/a', minimum: 3, $defs: { a: { type: 'number' } } }, 2, false],
    [{ $ref: 'https://json-schema.org/draft/2020-12/schema' }, { type: 'objekt' }, false],
  ],
  'what is evaluated': [
    [{ if: { properties: { a: true } }, unevaluatedProperties: false }, { a: 1 }, true],
    [{ if: { required: ['b'], properties: { a: true } }, else: {}, unevaluatedProperties: false }, { a: 1 }, false],
    [{ if: { required: ['a'] }, then: { properties: { a: true } }, unevaluatedProperties: false }, { a: 1 }, true],
    [{ anyOf: [{ items: { type: 'string' } }, true], unevaluatedItems: false }, ['a', 'b'], true],
    [{ anyOf: [{ items: { type: 'string' } }, true], unevaluatedItems: { type: 'number' } }, ['a', 1], false],
    [{ prefixItems: [true], unevaluatedItems: { type: 'number' } }, ['a', 1], true],
    [{ prefixItems: [true], unevaluatedItems: { type: 'number' } }, ['a', 'b'], false],
    [{ prefixItems: [true], unevaluatedItems: false }, ['a', 'b'], false],
  ],
  conditions: [
    [{ if: { const: 1 }, then: false }, 1, false],
    [{ if: { const: 1 }, then: false }, 2, true],
    [{ if: { const: 1 }, else: { const: 2 } }, 3, false],
    [{ then: false }, 1, true],
  ],
};

describe.each(Object.entries(KINDS))('JSON Schema 2020-12: %s', (_, rows) => {
  test.each(rows)('%j, %j: %j', (schema, value, isValid) => {
    expect(satisfies(schema, value)).toBe(isValid);
  });
});
