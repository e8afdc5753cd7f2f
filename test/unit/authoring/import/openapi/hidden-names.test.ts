import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../../../src/contracts/json.js';
import { checkAgainst } from '../../../../../src/planning/input/schemas.js';
import { content, mapped } from './documents.js';

const text = { type: 'string' };
const secret = { type: 'string', writeOnly: true };
const user: JsonObject = { type: 'object', required: ['id', 'secret'], properties: { id: text, secret } };

/** Imports the schema of a response. @returns whether the imported schema accepts an answer. */
async function answers(schema: JsonObject, schemas: JsonObject = {}): Promise<(answer: Json) => boolean> {
  const responses = { 200: content('application/json', schema) };
  const { output } = await mapped('/a', 'get', { responses }, { components: { schemas } });
  return (answer) => {
    try {
      checkAgainst(output as JsonObject, answer, { code: 'api.output_invalid', what: 'The answer' });
      return true;
    } catch {
      return false;
    }
  };
}

const ref = (name: string): JsonObject => ({ $ref: `#/components/schemas/${name}` });

describe('an answer is accepted with and without write-only properties', () => {
  const closed = { ...user, additionalProperties: false };
  test.each<[string, JsonObject, JsonObject, JsonObject]>([
    ['in a required list', user, {}, { id: 'a' }],
    ['with `additionalProperties: false`', closed, {}, { id: 'a' }],
    ['with typed additional properties', { ...user, additionalProperties: { type: 'integer' } }, {}, { id: 'a' }],
    ['required by another branch of `allOf`', { allOf: [user, { required: ['secret'] }] }, {}, { id: 'a' }],
    ['required outside of `allOf`', { required: ['secret'], allOf: [user] }, {}, { id: 'a' }],
    [
      'required behind a reference beside it',
      { allOf: [ref('Base'), user] },
      { Base: { required: ['secret'] } },
      { id: 'a' },
    ],
    ['hidden behind a reference', { allOf: [ref('User'), { required: ['secret'] }] }, { User: user }, { id: 'a' }],
    ['marked in its own `allOf`', { required: ['secret'], properties: { secret: { allOf: [secret] } } }, {}, {}],
    [
      'marked where it refers to',
      { required: ['secret'], properties: { secret: ref('Secret') } },
      { Secret: secret },
      {},
    ],
    [
      'in branches of `oneOf` that differ only in it',
      { oneOf: [user, { ...user, required: ['id'] }] },
      {},
      { id: 'a' },
    ],
    ['in branches of `anyOf` that ask for it', { properties: { secret }, anyOf: [{ required: ['secret'] }] }, {}, {}],
    [
      'in a branch of `oneOf` behind a reference',
      { oneOf: [ref('User'), { type: 'object' }] },
      { User: user },
      { id: 'a' },
    ],
    [
      'in a `not`',
      { properties: { id: text }, not: { required: ['secret'], properties: { secret } } },
      {},
      { id: 'a' },
    ],
    ['in a condition', { properties: { secret }, if: { required: ['secret'] }, else: { required: ['id'] } }, {}, {}],
    ['among dependent ones', { properties: { secret }, dependentRequired: { id: ['secret'] } }, {}, { id: 'a' }],
    ['where properties are counted', { ...user, minProperties: 2 }, {}, { id: 'a' }],
    ['under `unevaluatedProperties: false`', { allOf: [user], unevaluatedProperties: false }, {}, { id: 'a' }],
  ])('%s', async (_, schema, schemas, answer) => {
    const isTaken = await answers(schema, schemas);
    expect(isTaken(answer)).toBe(true);
    expect(isTaken({ ...answer, secret: 's' })).toBe(true);
  });

  test('in items that differ only in a write-only property', async () => {
    const isTaken = await answers({ type: 'array', uniqueItems: true, items: user });
    expect(isTaken([{ id: 'a' }, { id: 'a' }])).toBe(true);
  });
});

describe('what is not hidden is still checked', () => {
  test('a required property, and a forbidden one', async () => {
    const isTaken = await answers({ ...user, additionalProperties: false });
    expect(isTaken({})).toBe(false);
    expect(isTaken({ id: 'a', other: 1 })).toBe(false);
  });

  test('a list of required properties, if no sibling hides one of them', async () => {
    const schemas = { Base: { required: ['secret'] }, Plain: { properties: { secret: text } } };
    const schema = { properties: { a: { allOf: [ref('Base'), ref('Plain')] }, b: { allOf: [ref('Base'), user] } } };
    const isTaken = await answers(schema, schemas);
    expect(isTaken({ b: { id: 'a' } })).toBe(true);
    expect(isTaken({ a: {} })).toBe(false);
  });

  test('`oneOf` whose branches hide nothing', async () => {
    const isTaken = await answers({ oneOf: [{ required: ['a'] }, { required: ['b'] }], properties: { secret } });
    expect(isTaken({ a: 1, b: 1 })).toBe(false);
  });
});

test('an input never requires a read-only property, wherever it is listed as required', async () => {
  const hiding: JsonObject = { properties: { id: { ...text, readOnly: true } } };
  const schema: JsonObject = { allOf: [hiding, { required: ['id'] }], minProperties: 1 };
  const { input } = await mapped('/a', 'post', {
    requestBody: { required: true, ...content('application/json', schema) },
  });
  expect(JSON.stringify(input)).not.toContain('"required":["id"]');
});
