import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../../src/contracts/json.js';
import { content, mapped, whyLeftOut } from './documents.js';

const text = { type: 'string' };
const user = { type: 'object', required: ['name'], properties: { name: text, age: { type: 'integer' } } };
const file = { type: 'string', format: 'binary' };

function bodyOf(type: string, schema: JsonObject, more: JsonObject = {}): JsonObject {
  return { requestBody: { required: true, ...content(type, schema), ...more } };
}

describe('a JSON body', () => {
  test('of an object needs no settings: its properties are inputs', async () => {
    const { api, input } = await mapped('/users', 'post', bodyOf('application/json', user));
    expect(api).toEqual({ method: 'POST', path: '/users', service: 'acme' });
    expect(input).toEqual({ type: 'object', required: ['name'], properties: user.properties });
  });

  test('of objects in `allOf` and behind references has their properties as inputs', async () => {
    const more: JsonObject = { properties: { mail: text } };
    const schema = { allOf: [{ $ref: '#/components/schemas/User' }, more] };
    const components = { schemas: { User: user } };
    const { input } = await mapped('/users', 'post', bodyOf('application/json', schema), { components });
    expect(input).toMatchObject({ required: ['name'], properties: { name: text, mail: text } });
  });

  test('keeps whether additional properties are allowed', async () => {
    const closed = await mapped('/a', 'post', bodyOf('application/json', { ...user, additionalProperties: false }));
    expect(closed.input.additionalProperties).toBe(false);
    const typed = await mapped('/a', 'post', bodyOf('application/json', { ...user, additionalProperties: text }));
    expect(typed.input.additionalProperties).toEqual(text);
  });

  test('has a property renamed if the path already uses its name', async () => {
    const schema = { type: 'object', required: ['id'], properties: { id: text } };
    const parameters = [{ name: 'id', in: 'path', required: true, schema: text }];
    const { api, input } = await mapped('/a/{id}', 'put', { parameters, ...bodyOf('application/json', schema) });
    expect(api.params).toEqual({ body_id: { in: 'body', name: 'id' } });
    expect(input.required).toEqual(['id', 'body_id']);
  });

  test.each<[string, JsonObject, object | undefined]>([
    [
      'of fields that may all be left out is sent, as `{}`',
      bodyOf('application/json', { properties: { a: text } }),
      { type: 'json', required: true },
    ],
    [
      'of fields that are all read-only, too',
      bodyOf('application/json', { required: ['a'], properties: { a: { ...text, readOnly: true } } }),
      { type: 'json', required: true },
    ],
    [
      'that may be left out is not',
      { requestBody: content('application/json', { properties: { a: text } }) },
      undefined,
    ],
    ['with a field that must be given needs nothing', bodyOf('application/json', user), undefined],
  ])('%s', async (_, more, body) => {
    const { api } = await mapped('/a', 'post', more as JsonObject);
    expect(api.body).toEqual(body);
  });

  test.each<[string, JsonObject]>([
    ['a list', { type: 'array', items: user }],
    ['one of several', { oneOf: [user, { type: 'array', items: text }] }],
    ['a map of anything', { type: 'object', additionalProperties: text }],
  ])('of %s is one input', async (_, schema) => {
    const { api, input } = await mapped('/a', 'post', bodyOf('application/json', schema));
    expect(api.body).toEqual({ type: 'json', value: '${{ input.body }}' });
    expect(input).toMatchObject({ required: ['body'], properties: { body: schema }, additionalProperties: false });
  });

  test('that may be absent but has a required field is one optional input', async () => {
    const { api, input } = await mapped('/a', 'post', bodyOf('application/json', user, { required: false }));
    expect(api.body).toEqual({ type: 'json', value: '${{ input.?body }}' });
    expect(input.required).toBeUndefined();
  });

  test('of a vendor type states its content type', async () => {
    const { api } = await mapped('/a', 'patch', bodyOf('application/merge-patch+json', user));
    expect(api.body).toEqual({ type: 'json', content_type: 'application/merge-patch+json' });
  });

  test('of a DELETE is stated, since inputs would otherwise go to the query; query parameters are stated as well', async () => {
    const parameters = [{ name: 'force', in: 'query', schema: { type: 'boolean' } }];
    const { api } = await mapped('/a', 'delete', { parameters, ...bodyOf('application/json', user) });
    expect(api).toMatchObject({ body: { type: 'json' }, params: { force: { in: 'query' } } });
  });

  test('omits read-only properties', async () => {
    const schema = {
      type: 'object',
      required: ['id', 'name'],
      properties: { id: { ...text, readOnly: true }, name: text },
    };
    const { input } = await mapped('/a', 'post', bodyOf('application/json', schema));
    expect(input).toMatchObject({ required: ['name'], properties: { name: text } });
    expect(input.properties).not.toHaveProperty('id');
  });
});

describe('other bodies', () => {
  test('a form has fields, whose lists and maps are encoded as `encoding` states', async () => {
    const schema = {
      type: 'object',
      properties: {
        a: text,
        tags: { type: 'array', items: text },
        deep: { type: 'object' },
        plain: { type: 'object' },
      },
    };
    const described = bodyOf('application/x-www-form-urlencoded', schema);
    const media = (described.requestBody as { content: Record<string, JsonObject> }).content;
    Object.assign(media['application/x-www-form-urlencoded'] as object, {
      encoding: { tags: { style: 'form', explode: false }, deep: { style: 'deepObject', explode: true } },
    });
    const { api } = await mapped('/a', 'post', described);
    expect(api.body).toEqual({ type: 'form', required: true });
    expect(api.params).toEqual({
      tags: { in: 'body', explode: false },
      deep: { in: 'body', style: 'deepObject' },
      plain: { in: 'body', style: 'json' },
    });
  });

  test('multipart has single files and lists of files', async () => {
    const schema = {
      type: 'object',
      required: ['doc'],
      properties: { doc: file, more: { type: 'array', items: file }, note: text },
    };
    const { api, input } = await mapped('/a', 'post', bodyOf('multipart/form-data', schema));
    expect(api.body).toEqual({ type: 'multipart' });
    expect(input.properties).toMatchObject({
      doc: { type: 'object', required: ['base64'] },
      more: { type: 'array', items: { required: ['base64'] } },
      note: text,
    });
  });

  test('a body of bytes or text is one input', async () => {
    const bytes = await mapped('/a', 'put', bodyOf('image/png', file));
    expect(bytes.api.body).toEqual({ type: 'binary', content_type: 'image/png', value: '${{ input.body }}' });
    const any = await mapped('/a', 'put', bodyOf('application/octet-stream', file));
    expect(any.api.body).toEqual({ type: 'binary', value: '${{ input.body }}' });
    const csv = await mapped('/a', 'put', bodyOf('text/csv', text));
    expect(csv.api.body).toEqual({ type: 'text', content_type: 'text/csv', value: '${{ input.body }}' });
  });

  test('JSON is chosen among several media types, and this is reported', async () => {
    const described = bodyOf('application/xml', user);
    Object.assign((described.requestBody as { content: object }).content, { 'application/json': { schema: user } });
    const { api, notes } = await mapped('/a', 'post', described);
    expect(api.body).toBeUndefined();
    expect(notes).toEqual(['Its body is sent as application/json; application/xml would be possible, too']);
  });

  test('a form with files is sent as multipart if that is allowed', async () => {
    const schema = { type: 'object', properties: { doc: file } };
    const described = bodyOf('application/x-www-form-urlencoded', schema);
    Object.assign((described.requestBody as { content: object }).content, { 'multipart/form-data': { schema } });
    expect((await mapped('/a', 'post', described)).api.body).toEqual({ type: 'multipart', required: true });
  });
});

describe('omitted, with the reason', () => {
  test.each([
    ['application/xml', 'its body is XML only (application/xml)'],
    ['application/vnd.acme+xml', 'its body is XML only (application/vnd.acme+xml)'],
    ['multipart/mixed', 'its body can only be multipart/mixed'],
  ])('a body of %s', async (type, reason) => {
    expect(await whyLeftOut('/a', 'post', bodyOf(type, user))).toBe(reason);
  });

  test('a GET that requires a body; an optional body is only reported', async () => {
    expect(await whyLeftOut('/a', 'get', bodyOf('application/json', user))).toBe(
      'it wants a body with GET, which has none',
    );
    const { api, notes } = await mapped('/a', 'get', bodyOf('application/json', user, { required: false }));
    expect(api.body).toBeUndefined();
    expect(notes).toEqual(['The body of this GET is left out: GET has none']);
  });
});
