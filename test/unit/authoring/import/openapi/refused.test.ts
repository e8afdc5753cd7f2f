import { describe, expect, test } from 'vitest';
import { openDocument } from '../../../../../src/authoring/import/openapi/import-document.js';
import type { JsonObject } from '../../../../../src/contracts/json.js';
import { errorOf, errorOfAsync } from '../../../error-of.js';
import { content, documentOf, importOf, operation, whyLeftOut } from './documents.js';

/** Far more than any of these takes, and far less than one that is not stopped would take. */
const NOT_LONG_MS = 20_000;

describe('anything but a document of a supported version is refused with one sentence', () => {
  test.each([
    ['{"swagger": "2.0"}', 'import.unsupported', 'x is Swagger 2.0, and OpenAPI 3.0 and 3.1 are read'],
    ['openapi: 3.2.0', 'import.unsupported', 'x is OpenAPI 3.2.0, and 3.0 and 3.1 are read'],
    ['openapi: 4', 'import.unsupported', 'x is OpenAPI 4, and 3.0 and 3.1 are read'],
    ['<!DOCTYPE html><p>Log in', 'import.unreadable', 'x is a page, and no OpenAPI document'],
    ['{"openapi": ', 'import.unreadable', /^x is no valid JSON: /],
    ['a: [1', 'import.unreadable', /^x is no valid YAML: /],
    ['a: 1\na: 2', 'import.unreadable', /^x is no valid YAML: /],
    ['', 'import.unreadable', 'x is no OpenAPI document: it is no map'],
    ['just words', 'import.unreadable', 'x is no OpenAPI document: it is no map'],
    ['[1]', 'import.unreadable', 'x is no OpenAPI document: it is no map'],
    ['{"a": 1}', 'import.unreadable', 'x is no OpenAPI document: it has no `openapi: 3.x`'],
    ['{"openapi": ["3.0.0"]}', 'import.unreadable', 'x is no OpenAPI document: it has no `openapi: 3.x`'],
  ])('%s', (text, code, message) => {
    const error = errorOf(() => openDocument(text, 'x'));
    expect(error.code).toBe(code);
    expect(error.message).toMatch(message);
    expect(error.message).not.toContain('\n');
  });

  test('YAML is read as well, and a syntax error is reported with its location', () => {
    expect(openDocument('openapi: 3.1.0\ninfo: {}\n', 'x').document).toEqual({ openapi: '3.1.0', info: {} });
    expect(errorOf(() => openDocument('openapi: 3.1.0\ninfo: [\n', 'x')).location).toMatchObject({
      file: 'x',
      line: 3,
    });
  });

  test.each<[string, JsonObject, string]>([
    ['a title', { info: { version: '1' } }, "must have required property 'title' (at info)"],
    ['paths as a map', { paths: [] }, 'must be object (at paths)'],
    [
      'paths that begin with a slash',
      { paths: { a: {} } },
      'Entries in the OpenAPI `paths` object must begin with a leading slash.',
    ],
    [
      'parameters as a list',
      { paths: { '/a': { get: { parameters: 'no', responses: {} } } } },
      'must be array (at paths./a.get.parameters)',
    ],
  ])('a document without %s is reported with the location', async (_, broken, fault) => {
    const error = await errorOfAsync(() => importOf({ ...documentOf({}), ...broken }));
    expect(error.message).toContain(`api.json is no valid OpenAPI document: ${fault}`);
    expect(error.message).not.toContain('\n');
  });
});

describe('malicious documents', () => {
  test('exponential aliases are refused', () => {
    const lines = ['openapi: 3.0.0', 'a0: &a0 [x, x, x, x, x, x, x, x, x]'];
    for (let level = 1; level < 12; level += 1) {
      lines.push(`a${level}: &a${level} [${Array.from({ length: 9 }, () => `*a${level - 1}`).join(', ')}]`);
    }
    expect(errorOf(() => openDocument(lines.join('\n'), 'x')).code).toBe('import.unreadable');
  });

  test.each([
    ['JSON', `{"a":`.repeat(100_000)],
    ['whole JSON', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['brackets', '['.repeat(100_000)],
    ['YAML brackets', `openapi: ${'['.repeat(100_000)}`],
    ['dashes', '- '.repeat(100_000)],
    ['lines', Array.from({ length: 1000 }, (_, level) => `${' '.repeat(level)}a:`).join('\n')],
  ])(
    'endless nesting is refused: %s',
    (_, text) => {
      expect(errorOf(() => openDocument(text, 'x')).code).toBe('import.unreadable');
    },
    NOT_LONG_MS,
  );

  test(
    'schemas that each refer to the next ones several times take no time',
    async () => {
      const schemas: JsonObject = {};
      for (let level = 0; level < 60; level += 1) {
        const next = { $ref: `#/components/schemas/S${level + 1}` };
        schemas[`S${level}`] = { type: 'object', properties: { a: next, b: next, c: next } };
      }
      schemas.S60 = { type: 'string' };
      const get = operation({ responses: { 200: content('application/json', { $ref: '#/components/schemas/S0' }) } });
      const { operations } = await importOf(documentOf({ '/a': { get } }, { components: { schemas } }));
      expect(operations).toHaveLength(1);
    },
    NOT_LONG_MS,
  );

  test.each<[string, JsonObject]>([
    ['paths', { '/a': { $ref: '#/paths/~1b' }, '/b': { $ref: '#/paths/~1a' } }],
    ['parameters', { '/a': { get: operation({ parameters: [{ $ref: '#/paths/~1a/get/parameters/0' }] }) } }],
    ['bodies', { '/a': { post: operation({ requestBody: { $ref: '#/paths/~1a/post/requestBody' } }) } }],
    ['answers', { '/a': { get: operation({ responses: { 200: { $ref: '#/paths/~1a/get/responses/200' } } }) } }],
  ])('circular references exclude their operations: %s', async (_, paths) => {
    const { operations, leftOut } = await importOf(documentOf(paths));
    expect(operations).toEqual([]);
    expect(leftOut[0]?.reason).toMatch(/leads in a circle$/);
  });

  test('names of JavaScript have no effect', async () => {
    const text = `{"openapi": "3.0.0", "info": {"title": "x", "version": "1", "__proto__": {"a": 1}},
      "servers": [{"url": "https://a.test"}], "__proto__": {"polluted": true}, "paths": {"/a": {"get": {
      "operationId": "__proto__", "tags": ["constructor"], "parameters": [{"name": "__proto__", "in": "query", "schema": {}}],
      "responses": {"200": {"description": "x", "content": {"application/json": {"schema":
        {"type": "object", "properties": {"__proto__": {"type": "string"}, "constructor": {}}, "required": ["__proto__"]}}}}}}}}}`;
    const { importDocument } = await import('../../../../../src/authoring/import/openapi/import-document.js');
    const imported = await importDocument(openDocument(text, 'x'), { service: 'acme', prefix: 'acme' });
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(imported.operations[0]?.key).toBe('acme.proto');
  });

  test('a required input __proto__ excludes its operation', async () => {
    const parameters = [{ name: '__proto__', in: 'query', required: true, schema: {} }];
    expect(await whyLeftOut('/a', 'get', { parameters })).toBe(
      'its query parameter __proto__ has a name that no input can have',
    );
  });

  test('our expressions in a document are plain text', async () => {
    const parameters = [{ name: '${{ input.x }}', in: 'query', schema: { type: 'string' } }];
    const { operations } = await importOf(
      documentOf({ '/a': { get: operation({ parameters, summary: '${{ input.x }}' }) } }),
    );
    const api = JSON.stringify(operations[0]?.definition.implementation);
    expect(api).not.toContain('${{');
  });

  test(
    '100,000 paths exceed the maximum and are refused in time',
    async () => {
      const paths = Object.fromEntries(
        Array.from({ length: 100_000 }, (_, index) => [`/p${index}`, { get: operation() }]),
      );
      expect((await errorOfAsync(() => importOf(documentOf(paths)))).message).toBe(
        'api.json has 100000 operations; the maximum is 20000',
      );
    },
    NOT_LONG_MS * 3,
  );
});
