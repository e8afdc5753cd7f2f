import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../../src/contracts/json.js';
import { documentOf, importOf, mapped, operation, whyLeftOut } from './documents.js';

const text = { type: 'string' };
const list = { type: 'array', items: text };
const map = { type: 'object', additionalProperties: text };

function parameter(name: string, place: string, more: JsonObject = {}): JsonObject {
  return { name, in: place, schema: text, ...(place === 'path' && { required: true }), ...more };
}

async function paramsOf(method: string, ...parameters: JsonObject[]): Promise<unknown> {
  return (await mapped('/a', method, { parameters })).api.params;
}

test('a parameter with a description of its own keeps the default of its schema', async () => {
  const parameters = [parameter('n', 'query', { description: 'Per page.', schema: { type: 'integer', default: 30 } })];
  const { input } = await mapped('/a', 'get', { parameters });
  expect(input).toMatchObject({ properties: { n: { description: 'Per page. Default of the service: 30.' } } });
});

describe('parameters are listed in `params` only if they differ from the default', () => {
  test('in a path, and in the query of a GET, plain values and lists need no entry', async () => {
    const parameters = [parameter('id', 'path'), parameter('q', 'query'), parameter('tags', 'query', { schema: list })];
    const { api, input } = await mapped('/a/{id}', 'get', { parameters });
    expect(api).toEqual({ method: 'GET', path: '/a/{id}', service: 'acme' });
    expect(input).toEqual({
      type: 'object',
      required: ['id'],
      properties: { id: text, q: text, tags: list },
      additionalProperties: false,
    });
  });

  test.each<[string, JsonObject, JsonObject]>([
    ['a list in one value', { schema: list, explode: false }, { in: 'query', explode: false }],
    ['pipes', { schema: list, style: 'pipeDelimited' }, { in: 'query', style: 'pipeDelimited' }],
    ['spaces', { schema: list, style: 'spaceDelimited', explode: false }, { in: 'query', style: 'spaceDelimited' }],
    ['a map whose members are parameters', { schema: map }, { in: 'query', style: 'form' }],
    ['a map in brackets', { schema: map, style: 'deepObject', explode: true }, { in: 'query', style: 'deepObject' }],
    [
      'JSON',
      { schema: undefined as never, content: { 'application/json': { schema: map } } },
      { in: 'query', style: 'json' },
    ],
    ['reserved letters', { allowReserved: true }, { in: 'query', allow_reserved: true }],
  ])('in a query: %s', async (_, more, expected) => {
    expect(await paramsOf('get', parameter('q', 'query', more))).toEqual({ q: expected });
  });

  test('styles of plain values have no meaning in a query', async () => {
    expect(await paramsOf('get', parameter('q', 'query', { explode: false }))).toBeUndefined();
  });

  test.each<[string, JsonObject, JsonObject | undefined]>([
    ['a list', { schema: list }, { in: 'path', style: 'simple' }],
    ['a map, exploded', { schema: map, explode: true }, { in: 'path', style: 'simple', explode: true }],
    ['a label', { style: 'label' }, { in: 'path', style: 'label' }],
    [
      'a matrix of a list',
      { style: 'matrix', schema: list, explode: true },
      { in: 'path', style: 'matrix', explode: true },
    ],
  ])('in a path: %s', async (_, more, expected) => {
    const { api } = await mapped('/a/{x}', 'get', { parameters: [parameter('x', 'path', more)] });
    expect(api.params).toEqual({ x: expected });
  });

  test('headers and cookies state where they are sent, and so does the query of a POST', async () => {
    const parameters = [parameter('X-Trace', 'header'), parameter('sid', 'cookie'), parameter('q', 'query')];
    expect(await paramsOf('post', ...parameters)).toEqual({
      'X-Trace': { in: 'header' },
      sid: { in: 'cookie' },
      q: { in: 'query' },
    });
  });
});

describe('names', () => {
  test('the same name in two places is two inputs', async () => {
    const parameters = [parameter('id', 'query'), parameter('id', 'path'), parameter('ID', 'header')];
    const { api, input } = await mapped('/a/{id}', 'get', { parameters });
    expect(api.params).toEqual({ query_id: { in: 'query', name: 'id' }, ID: { in: 'header' } });
    expect(Object.keys(input.properties as JsonObject)).toEqual(['id', 'query_id', 'ID']);
  });

  test('a name that our expressions or paths cannot hold is changed', async () => {
    const parameters = [parameter('user id', 'path'), parameter('constructor', 'query')];
    const { api } = await mapped('/u/{user id}', 'get', { parameters });
    expect(api.path).toBe('/u/{user_id}');
    expect(api.params).toEqual({ query_constructor: { in: 'query', name: 'constructor' } });
  });

  test('an operation overrides the parameters of its path, and references are followed', async () => {
    const parameters = [{ $ref: '#/components/parameters/Page' }, parameter('q', 'query')];
    const get = operation({ parameters: [parameter('q', 'query', { required: true })] });
    const components = { parameters: { Page: parameter('page', 'query', { schema: { type: 'integer' } }) } };
    const { operations } = await importOf(documentOf({ '/a': { parameters, get } }, { components }));
    expect(operations[0]?.definition.input_schema).toMatchObject({
      required: ['q'],
      properties: { page: { type: 'integer' }, q: text },
    });
  });

  test('`{path+}` keeps slashes, and an undeclared path parameter is text', async () => {
    const { api, input } = await mapped('/files/{path+}/{other}', 'get', {});
    expect(api.path).toBe('/files/{+path}/{other}');
    expect(input).toMatchObject({ required: ['path', 'other'], properties: { path: text, other: text } });
  });

  test('a path parameter that the path does not contain is not sent', async () => {
    const { input } = await mapped('/a', 'get', { parameters: [parameter('gone', 'path')] });
    expect(input).toEqual({ type: 'object', additionalProperties: false });
  });
});

describe('a header that is set elsewhere is not an input', () => {
  test('Accept, Content-Type and Authorization', async () => {
    const parameters = ['Accept', 'content-type', 'Authorization'].map((name) => parameter(name, 'header'));
    expect((await mapped('/a', 'get', { parameters })).input).toEqual({ type: 'object', additionalProperties: false });
  });

  test('Idempotency-Key, which the runtime writes, with a note', async () => {
    const { input, notes } = await mapped('/a', 'post', {
      parameters: [parameter('Idempotency-Key', 'header', { required: true })],
    });
    expect(input.properties).toBeUndefined();
    expect(notes.join()).toContain('Idempotency-Key is written by the runtime');
  });

  test('the header of a security scheme', async () => {
    const { api, input } = await mapped(
      '/a',
      'get',
      { parameters: [parameter('x-key', 'header')] },
      {
        security: [{ k: [] }],
        components: { securitySchemes: { k: { type: 'apiKey', in: 'header', name: 'X-Key' } } },
      },
    );
    expect(api.headers).toEqual({ 'X-Key': '{credential:key}' });
    expect(input.properties).toBeUndefined();
  });

  test('a header that no request can carry excludes the operation if it is required', async () => {
    const required = { parameters: [parameter('bad name', 'header', { required: true })] };
    expect(await whyLeftOut('/a', 'get', required)).toBe(
      'its header parameter bad name has a name that no header can have',
    );
    const { notes } = await mapped('/a', 'get', { parameters: [parameter('Host', 'header')] });
    expect(notes).toEqual(['The header parameter Host is written by the runtime, and is left out']);
  });
});

test.each([
  ['/a?x=1', 'its path has a query (`?`)'],
  ['/a#b', 'its path has a fragment (`#`)'],
  ['/a/{b', 'its path has braces that do not match'],
])('the path %s excludes its operation', async (path, reason) => {
  expect(await whyLeftOut(path, 'get', {})).toBe(reason);
});
