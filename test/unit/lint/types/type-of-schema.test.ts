import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/contracts/json.js';
import { canBe } from '../../../../src/lint/types/compare.js';
import { describeType, isAny } from '../../../../src/lint/types/type.js';
import { typeOfSchema } from '../../../../src/lint/types/type-of-schema.js';

const names = Array.from({ length: 10 }, (_, index) => `n${index}`);
const toSelf: JsonObject = { $ref: '#' };

const RECURSIVE: [string, JsonObject][] = [
  ['a reference to itself', toSelf],
  ['choices of itself', { anyOf: names.map(() => toSelf), oneOf: names.map(() => toSelf) }],
  ['all of itself', { allOf: names.map(() => ({ anyOf: names.map(() => toSelf) })) }],
  [
    'properties of itself',
    { type: 'object', required: names, properties: Object.fromEntries(names.map((name) => [name, toSelf])) },
  ],
  ['a list of itself', { type: 'array', items: toSelf }],
  [
    'choices among many objects',
    {
      allOf: names.map((name) => ({
        anyOf: names.map((other) => ({ type: 'object', properties: { [name]: { const: other } } })),
      })),
    },
  ],
];

describe('the type of a schema', () => {
  test.each(RECURSIVE)('takes little time for %s', (_, schema) => {
    const before = process.cpuUsage().user;
    const [one, other] = [typeOfSchema(schema), typeOfSchema(structuredClone(schema))];
    expect(canBe(one, other)).toBe(true);
    expect(process.cpuUsage().user - before).toBeLessThan(2_000_000);
  });

  test.each<[JsonObject, string]>([
    [{ type: 'integer' }, 'a whole number'],
    [{ type: ['string', 'null'] }, 'null or a text'],
    [{ enum: [1, 'a'] }, 'a whole number or a text'],
    [{ $ref: '#/$defs/x~1y', $defs: { 'x/y': { type: 'boolean' } } }, 'true or false'],
    [{ allOf: [{ type: ['string', 'integer'] }, { type: ['integer', 'null'] }] }, 'a whole number'],
    [{ properties: { a: {} } }, 'a map'],
    [{ items: {} }, 'a list'],
  ])('%j is %s', (schema, words) => {
    expect(describeType(typeOfSchema(schema))).toBe(words);
  });

  test.each<JsonObject>([
    {},
    { $ref: 'elsewhere.json' },
    { $ref: '#/$defs/none' },
    { not: { type: 'string' } },
    { type: 'odd' },
  ])('%j may be anything', (schema) => {
    expect(isAny(typeOfSchema(schema))).toBe(true);
  });
});
