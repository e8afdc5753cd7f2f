import { describe, expect, test } from 'vitest';
import { readInputs } from '../../../src/choosing/read-inputs.js';
import type { JsonObject } from '../../../src/contracts/json.js';

const schema = (properties: JsonObject, required = Object.keys(properties)): JsonObject => ({
  type: 'object',
  required,
  properties,
});
const text = { type: 'string' };

describe('a request gives', () => {
  test.each<[string, JsonObject, string, JsonObject]>([
    ['what is assigned', { build_id: text }, 'run it with build_id=1234', { build_id: '1234' }],
    ['what is stated in words', { build_id: text }, 'for build 1234.', { build_id: '1234' }],
    ['a quoted name', { user_name: text }, 'user name "Ann Lee" please', { user_name: 'Ann Lee' }],
    ['the only choice', { action: { enum: ['charge', 'refund'] } }, 'Refund this customer', { action: 'refund' }],
    ['the only address', { to: { type: 'string', format: 'email' } }, 'mail bob@x.test.', { to: 'bob@x.test' }],
    ['the only number', { replicas: { type: 'integer' } }, 'we need 4 of them', { replicas: 4 }],
    ['the only quotation', { title: text }, 'file "Login is broken"', { title: 'Login is broken' }],
    [
      'two inputs at once',
      { user_id: text, email: { type: 'string', format: 'email' } },
      'user u-9, x@y.test',
      { user_id: 'u-9', email: 'x@y.test' },
    ],
  ])('%s', (_, properties, request, given) => {
    expect(readInputs(schema(properties), request)).toEqual({ given, missing: [] });
  });
});

describe('nothing is guessed if', () => {
  test.each<[string, JsonObject, string]>([
    ['there are two numbers', { replicas: { type: 'integer' } }, 'from 4 to 8'],
    ['two inputs could take it', { width: { type: 'number' }, height: { type: 'number' } }, 'make it 80'],
    ['two choices are named', { action: { enum: ['charge', 'refund'] } }, 'charge or refund'],
    ['a word follows the name', { user_id: text }, 'delete the user again'],
    ['the value is of another type', { count: { type: 'integer' } }, 'count=many'],
    ['the number is part of a name', { count: { type: 'integer' } }, 'in eu-1 on v2.3.4'],
    ['the request is empty', { title: text }, ''],
  ])('%s', (_, properties, request) => {
    const { given, missing } = readInputs(schema(properties), request);
    expect(given).toEqual({});
    expect(missing.map(({ name }) => name)).toEqual(Object.keys(properties));
  });
});

test('an input that has a default or is optional is not missing', () => {
  const inputs = schema({ a: { type: 'string', default: 'x' }, b: text, c: { type: 'string', description: 'See.' } }, [
    'a',
    'c',
  ]);
  expect(readInputs(inputs, '').missing).toEqual([{ name: 'c', type: 'string', description: 'See.' }]);
  expect(readInputs({ type: 'object' }, '').missing).toEqual([]);
});

test('choices and types behind a reference in the same schema are read; a circle of references is not followed for ever', () => {
  const $defs = { action: { enum: ['charge', 'refund'] }, count: { type: 'integer' }, loop: { $ref: '#/$defs/loop' } };
  const given = { ...schema({ action: { $ref: '#/$defs/action' }, n: { $ref: '#/$defs/count' } }), $defs };
  expect(readInputs(given, 'refund 4 of them')).toEqual({ given: { action: 'refund', n: 4 }, missing: [] });
  const circle = { ...schema({ action: { $ref: '#/$defs/loop' } }), $defs };
  expect(readInputs(circle, 'refund it').missing).toEqual([{ name: 'action' }]);
  expect(readInputs({ ...schema({ action: { $ref: '#/$defs/none' } }), $defs }, 'x').missing).toHaveLength(1);
});
