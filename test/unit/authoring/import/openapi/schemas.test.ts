import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../../../src/contracts/json.js';
import { satisfies } from '../../../../../src/planning/input/schemas.js';
import { content, mapped, whyLeftOut } from './documents.js';

/** A schema in an output, after the import. */
async function outputOf(schema: Json, schemas: JsonObject = {}, openapi = '3.0.3'): Promise<JsonObject> {
  const { output } = await mapped(
    '/a',
    'get',
    { responses: { 200: content('application/json', { type: 'object', properties: { x: schema } }) } },
    { openapi, components: { schemas } },
  );
  const { properties, ...rest } = output as { properties: { x: JsonObject } } & JsonObject;
  return rest.$defs === undefined ? properties.x : { ...properties.x, $defs: rest.$defs };
}

/** A schema in an input, after the import. */
async function inputOf(schema: Json): Promise<Json | undefined> {
  const { input } = await mapped('/a', 'get', { parameters: [{ name: 'x', in: 'query', schema }] });
  return (input.properties as JsonObject).x;
}

describe('the dialect of 3.0 becomes JSON Schema', () => {
  test.each<[string, Json, Json]>([
    ['nullable with a type', { type: 'string', nullable: true }, { type: ['string', 'null'] }],
    [
      'nullable with an enum',
      { type: 'string', nullable: true, enum: ['a'] },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    [
      'nullable without a type',
      { nullable: true, allOf: [{ type: 'string' }] },
      { anyOf: [{ allOf: [{ type: 'string' }] }, { type: 'null' }] },
    ],
    [
      'exclusive bounds',
      { type: 'number', minimum: 1, exclusiveMinimum: true },
      { type: 'number', exclusiveMinimum: 1 },
    ],
    ['bounds that are not exclusive', { minimum: 1, exclusiveMinimum: false }, { minimum: 1 }],
    [
      'examples, xml, extensions',
      { type: 'string', example: 'a', xml: {}, 'x-a': 1, externalDocs: {} },
      { type: 'string' },
    ],
    ['formats, known or not', { type: 'string', format: 'x-own' }, { type: 'string', format: 'x-own' }],
    ['a format named like a property of every object', { type: 'string', format: 'constructor' }, { type: 'string' }],
    ['an unknown type', { type: 'file' }, {}],
    ['malformed keywords', { minLength: -1, maximum: '3', pattern: 5, required: 'a', enum: [], allOf: [] }, {}],
    ['patterns that RE2 supports', { pattern: '^a+$' }, { pattern: '^a+$' }],
    ['patterns that RE2 does not support', { type: 'string', pattern: '(?=a)' }, { type: 'string' }],
    ['multiples', { multipleOf: 5 }, { multipleOf: 5 }],
    ['multiples of fractions', { multipleOf: 0.01 }, {}],
    ['the default, which does not apply to an answer', { type: 'string', default: 'a' }, { type: 'string' }],
    [
      'alternatives with a discriminator',
      { oneOf: [{ type: 'object' }, { type: 'string' }], discriminator: { propertyName: 'kind' } },
      { anyOf: [{ type: 'object' }, { type: 'string' }] },
    ],
  ])('%s', async (_, schema, expected) => {
    expect(await outputOf(schema)).toEqual(expected);
  });

  test('defaults are described and not sent: an update would set fields that its caller did not mention', async () => {
    expect(await inputOf({ type: 'integer', default: 30, description: 'Per page.' })).toEqual({
      type: 'integer',
      description: 'Per page. Default of the service: 30.',
    });
  });
});

test('the dialect of 3.1 stays unchanged, except for keywords without effect', async () => {
  const schema = {
    type: ['string', 'null'],
    const: 'a',
    examples: ['a'],
    $comment: 'x',
    $id: 'https://x.test',
    $anchor: 'y',
  };
  expect(await outputOf(schema, {}, '3.1.0')).toEqual({ type: ['string', 'null'], const: 'a' });
  const choice = { if: { type: 'string' }, else: { minimum: 1 }, prefixItems: [{}], dependentRequired: { a: ['b'] } };
  expect(await outputOf(choice, {}, '3.1.0')).toEqual(choice);
});

describe('references', () => {
  const node = { type: 'object', properties: { next: { $ref: '#/components/schemas/Node' }, id: { type: 'string' } } };

  test('to a recursive schema stay references, and the result can be used for validation', async () => {
    const schema = await outputOf({ $ref: '#/components/schemas/Node' }, { Node: node });
    expect(schema).toEqual({
      $ref: '#/$defs/Node',
      $defs: { Node: { type: 'object', properties: { next: { $ref: '#/$defs/Node' }, id: { type: 'string' } } } },
    });
    expect(satisfies(schema, { id: 'a', next: { id: 'b' } })).toBe(true);
    expect(satisfies(schema, { next: { next: { id: 1 } } })).toBe(false);
  });

  test('that may be null stay nullable in 3.0, where this is written next to them', async () => {
    const schema = await outputOf({ $ref: '#/components/schemas/Node', nullable: true }, { Node: { type: 'string' } });
    expect(satisfies(schema, null)).toBe(true);
    expect(satisfies(schema, 1)).toBe(false);
  });

  test('with escapes, and to any part of the document, are followed', async () => {
    const schema = await outputOf(
      { $ref: '#/components/schemas/A~1B%20C/properties/x' },
      {
        'A/B C': { properties: { x: { type: 'integer' } } },
      },
    );
    expect(satisfies(schema, 1)).toBe(true);
    expect(satisfies(schema, 'a')).toBe(false);
  });

  test.each([
    ['other.yaml#/X', 'it refers to other.yaml#/X, outside the document'],
    ['https://x.test/a.json', 'it refers to https://x.test/a.json, outside the document'],
    ['#/components/schemas/None', 'it refers to #/components/schemas/None, which is not there'],
    ['#/../../etc/passwd', 'it refers to #/../../etc/passwd, which is not there'],
    ['#/constructor/prototype', 'it refers to #/constructor/prototype, which is not there'],
    ['#/__proto__', 'it refers to #/__proto__, which is not there'],
    ['#Anchor', 'it refers to #Anchor, which is not there'],
    ['#/components/schemas/Self', 'its schema Self is made of itself, without end'],
    ['#/components/schemas/Ping', 'its schema Ping is made of itself, without end'],
  ])('%s excludes its operation', async (reference, reason) => {
    const schemas = {
      Self: { $ref: '#/components/schemas/Self' },
      Ping: { allOf: [{ anyOf: [{ $ref: '#/components/schemas/Pong' }] }] },
      Pong: { not: { $ref: '#/components/schemas/Ping' } },
    };
    const responses = { 200: content('application/json', { type: 'object', properties: { x: { $ref: reference } } }) };
    expect(await whyLeftOut('/a', 'get', { responses }, { components: { schemas } })).toBe(reason);
  });

  test('to more schemas than a plan may hold are followed nearest first, the rest may be anything, and this is reported', async () => {
    const schemas = Object.fromEntries(
      Array.from({ length: 60 }, (_, index) => {
        const properties = Object.fromEntries(
          Array.from({ length: 40 }, (__, at) => [`a_long_name_of_a_property_${at}`, { type: 'string' }]),
        );
        return [
          `S${index}`,
          {
            type: 'object',
            properties: { ...properties, next: { $ref: `#/components/schemas/S${(index + 1) % 60}` } },
          },
        ];
      }),
    );
    const responses = { 200: content('application/json', { $ref: '#/components/schemas/S0' }) };
    const { output, notes } = await mapped('/a', 'get', { responses }, { components: { schemas } });
    expect(JSON.stringify(output).length).toBeLessThan(20_000);
    expect(notes).toEqual(['Its schemas are large; their deeply nested parts allow any value']);
    expect(satisfies(output as JsonObject, { a_long_name_of_a_property_0: 1 })).toBe(false);
    expect(satisfies(output as JsonObject, { next: { next: {} } })).toBe(true);
  });
});
