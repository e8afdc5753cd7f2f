import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { expect, test } from 'vitest';
import type { Json } from '../../../../../src/contracts/json.js';
import { addExactKeywords } from '../../../../../src/planning/input/json-schema/exact-keywords.js';
import { METASCHEMA } from '../../../../../src/planning/input/json-schema/local-references.js';
import { validateMetaschema } from '../../../../../src/planning/input/json-schema/metaschema.js';
import { AJV_SETTINGS, exactAjv, satisfies } from '../../../../../src/planning/input/schemas.js';

const compiledHere = addFormats.default(new Ajv2020({ ...AJV_SETTINGS, ownProperties: true }));
addExactKeywords(compiledHere);

/** In their order: the first one is reported. */
function errorsOf(ajv: Ajv2020, schema: Json): unknown[] {
  const isValid = ajv.validateSchema(schema as boolean);
  const errors = (ajv.errors ?? []).map(({ instancePath, keyword, message, params }) => {
    return { instancePath, keyword, message, params };
  });
  return [isValid, ...errors];
}

test.each<[Json]>([
  [{}],
  [true],
  [{ type: 'object', properties: { a: { type: ['string', 'null'] } }, required: ['a'], additionalProperties: false }],
  [{ $defs: { a: { $anchor: 'x', $id: 'https://shop.test/a' } }, $ref: '#/$defs/a' }],
  [{ items: [] }],
  [{ type: 'strng' }],
  [{ type: ['string', 'string'] }],
  [{ type: [] }],
  [{ required: ['a', 'a'] }],
  [{ required: 'a' }],
  [{ required: [1, 1] }],
  [{ properties: { a: 'string' } }],
  [{ properties: { a: { properties: { b: { minimum: '1' } } } } }],
  [{ properties: ['a'] }],
  [{ minLength: -1 }],
  [{ maxItems: 1.5 }],
  [{ multipleOf: 0 }],
  [{ enum: 'a' }],
  [{ pattern: 1 }],
  [{ $anchor: '1 2' }],
  [{ $id: 'https://shop.test/a#b' }],
  [{ $ref: 1 }],
  [{ anyOf: [] }],
  [{ allOf: [{ type: 'x' }, 3] }],
  [{ if: 1, else: null }],
  [{ dependentRequired: { a: ['b', 'b'] } }],
  [{ dependencies: { a: 1 } }],
  [{ unevaluatedProperties: 'no' }],
  [{ contains: 1, minContains: -1 }],
  [{ prefixItems: {} }],
  [{ title: 1, deprecated: 'yes', format: 1, contentEncoding: 2 }],
  [{ $vocabulary: { 'https://shop.test/v': 'yes' } }],
  [{ type: 1, enum: 2, not: 3 }],
  [{ toString: 1, constructor: { type: 'x' } }],
  [1],
  ['string'],
])('%j has the errors that ajv finds when it compiles the metaschema itself', (schema) => {
  expect(errorsOf(exactAjv(), schema)).toEqual(errorsOf(compiledHere, schema));
});

test('a schema may refer to the metaschema', () => {
  const schema = { properties: { contract: { $ref: METASCHEMA } } };
  expect(satisfies(schema, { contract: { type: 'string' } })).toBe(true);
  expect(satisfies(schema, { contract: { type: 'strng' } })).toBe(false);
  expect(satisfies(schema, { contract: { properties: { a: { minLength: -1 } } } })).toBe(false);
});

test('ajv does not compile the metaschema itself', () => {
  const ajv = exactAjv();
  ajv.validateSchema({ type: 'string' });
  expect(ajv.getSchema(METASCHEMA)).toBe(validateMetaschema);
});
