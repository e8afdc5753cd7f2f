import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { importDocument, openDocument } from '../../src/authoring/import/openapi/import-document.js';
import { loadDescription } from '../../src/authoring/import/openapi/load-description.js';
import type { JsonObject } from '../../src/contracts/json.js';
import { loadRegistry } from '../../src/definitions/load-registry.js';
import { resolvePlan } from '../../src/planning/resolve/resolve-plan.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { type RecordedRequest, send, startService } from '../fixtures/servers/recording-service.js';
import { importInto } from '../unit/authoring/import/importing.js';

/** A typical description of a service: relative servers, YAML, schemas by reference. */
const DOCUMENT = `
openapi: 3.1.0
info: { title: Shop API, version: "1" }
servers: [{ url: ../v1 }]
security: [{ bearer: [] }]
paths:
  /items/{item id}:
    get:
      operationId: getItem
      parameters:
        - { name: item id, in: path, required: true, schema: { type: string } }
        - { name: tags, in: query, schema: { type: array, items: { type: string } } }
        - { name: ids, in: query, explode: false, schema: { type: array, items: { type: integer } } }
        - { name: filter, in: query, style: deepObject, explode: true, schema: { type: object } }
        - { name: X-Trace, in: header, schema: { type: string } }
        - { name: sid, in: cookie, schema: { type: string } }
      responses: { "200": { description: x, content: { application/json: { schema: { $ref: "#/components/schemas/Item" } } } } }
  /items:
    post:
      operationId: createItem
      security: [{ basic: [], key: [] }]
      parameters: [{ name: notify, in: query, schema: { type: boolean } }]
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/Item" } } } }
      responses: { "201": { description: x, content: { application/json: { schema: { $ref: "#/components/schemas/Item" } } } } }
  /items/{id}/label/{points}:
    put:
      operationId: labelItem
      parameters:
        - { name: id, in: path, required: true, schema: { type: string } }
        - { name: points, in: path, required: true, style: matrix, explode: true, schema: { type: array, items: { type: integer } } }
      requestBody:
        required: true
        content: { application/merge-patch+json: { schema: { type: object, properties: { id: { type: string }, label: { type: [string, "null"] } } } } }
      responses: { "204": { description: x } }
  /form:
    post:
      operationId: sendForm
      requestBody:
        required: true
        content:
          application/x-www-form-urlencoded:
            schema: { type: object, required: [name], properties: { name: { type: string }, tags: { type: array, items: { type: string } }, about: { type: object } } }
            encoding: { tags: { explode: false } }
      responses: { "200": { description: x, content: { text/plain: {} } } }
  /upload:
    post:
      operationId: upload
      requestBody:
        required: true
        content: { multipart/form-data: { schema: { type: object, required: [doc], properties: { doc: { type: string, format: binary }, note: { type: string } } } } }
      responses: { "200": { description: x } }
  /picture:
    get:
      operationId: getPicture
      responses: { "200": { description: x, content: { image/png: {} } } }
    put:
      operationId: putPicture
      requestBody: { required: true, content: { image/png: {} } }
      responses: { "204": { description: x } }
components:
  securitySchemes:
    bearer: { type: http, scheme: bearer }
    basic: { type: http, scheme: basic }
    key: { type: apiKey, in: query, name: api_key }
  schemas:
    Item:
      type: object
      required: [id, name]
      properties:
        id: { type: string, readOnly: true }
        name: { type: string }
        parent: { anyOf: [{ $ref: "#/components/schemas/Item" }, { type: "null" }] }
`;

let service: Awaited<ReturnType<typeof startService>>;
let project: RunningProject;

beforeAll(async () => {
  service = await startService();
  service.on('/docs/openapi.yaml', send(200, 'application/yaml', DOCUMENT));
  project = await runProject({
    '.env': 'SHOP_TOKEN=the-token\nSHOP_USER=ada\nSHOP_PASSWORD=secret-word\nSHOP_KEY=the-key\n',
  });
  const loading = { cwd: project.root, timeoutMs: 10_000, signal: new AbortController().signal };
  const { text, from, url } = await loadDescription(`${service.origin}/docs/openapi.yaml`, loading);
  const wanted = { service: 'shop', prefix: 'shop', ...(url !== undefined && { documentUrl: url }) };
  const imported = await importDocument(openDocument(text, from), wanted);
  importInto(project, imported, { kind: 'openapi', name: 'shop', prefix: 'shop', command: 'ability import openapi' });
});
afterAll(async () => {
  await project.stop();
  await service.stop();
});

/** The only request to a path. */
function only(path: string): RecordedRequest {
  const requests = service.requestsOf(path);
  expect(requests).toHaveLength(1);
  return requests[0] as RecordedRequest;
}

async function run(key: string, input: JsonObject): Promise<unknown> {
  const result = await project.run(`shop.${key}`, input);
  expect(result.error).toBeNull();
  return result.output;
}

test('every definition loads without a problem and resolves', () => {
  const registry = loadRegistry(project.root);
  expect(registry.problems).toEqual([]);
  expect([...registry.operations.keys()].sort()).toEqual([
    ...['shop.create_item', 'shop.get_item', 'shop.get_picture', 'shop.label_item', 'shop.put_picture'],
    ...['shop.send_form', 'shop.upload'],
  ]);
  for (const key of registry.operations.keys()) expect(resolvePlan(registry, key, 'dev').warnings).toEqual([]);
});

describe('the abilities of an imported service send what its document requires', () => {
  test('a path, lists, a map in brackets, a header, a cookie and a bearer token', async () => {
    service.on(
      '/v1/items/a%2Fb',
      send(200, 'application/json', '{"id": "1", "name": "x", "parent": {"id": "2", "name": "y"}}'),
    );
    const output = await run('get_item', {
      ...{ item_id: 'a/b', tags: ['x', 'y'], ids: [1, 2], filter: { price: { max: 3 } } },
      ...{ 'X-Trace': 't-1', sid: 's 1' },
    });
    expect(output).toEqual({ id: '1', name: 'x', parent: { id: '2', name: 'y' } });
    const { url, headers } = only('/v1/items/a%2Fb');
    expect(decodeURIComponent(url)).toBe('/v1/items/a/b?ids=1,2&filter[price][max]=3&tags=x&tags=y');
    expect(headers).toMatchObject({ 'x-trace': 't-1', cookie: 'sid=s%201', authorization: 'Bearer the-token' });
  });

  test('a JSON body with a query, and two credentials at once', async () => {
    service.on('/v1/items', send(201, 'application/json', '{"id": "9", "name": "chair"}'));
    expect(await run('create_item', { name: 'chair', notify: true })).toEqual({ id: '9', name: 'chair' });
    const { query, body, headers } = only('/v1/items');
    expect(Object.fromEntries(query)).toEqual({ notify: 'true', api_key: 'the-key' });
    expect(JSON.parse(body)).toEqual({ name: 'chair' });
    expect(headers.authorization).toBe(`Basic ${Buffer.from('ada:secret-word').toString('base64')}`);
  });

  test('a name in two places, a matrix and a vendor type', async () => {
    service.on('/v1/items/7/label/;points=1;points=2', send(204, 'text/plain', ''));
    expect(await run('label_item', { id: '7', points: [1, 2], body_id: '8', label: null })).toBeNull();
    const { body, headers } = only('/v1/items/7/label/;points=1;points=2');
    expect(JSON.parse(body)).toEqual({ id: '8', label: null });
    expect(headers['content-type']).toBe('application/merge-patch+json');
  });

  test('a form, and text as an answer', async () => {
    service.on('/v1/form', send(200, 'text/plain', 'thanks'));
    expect(await run('send_form', { name: 'a b', tags: ['x', 'y'], about: { deep: [1] } })).toEqual({ text: 'thanks' });
    const { body, headers } = only('/v1/form');
    expect(Object.fromEntries(new URLSearchParams(body))).toEqual({ name: 'a b', tags: 'x,y', about: '{"deep":[1]}' });
    expect(headers['content-type']).toBe('application/x-www-form-urlencoded');
  });

  test('files', async () => {
    const doc = { base64: Buffer.from('hello').toString('base64'), filename: 'a.txt', content_type: 'text/plain' };
    await run('upload', { doc, note: 'n' });
    const { body, headers } = only('/v1/upload');
    expect(headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    expect(body).toContain('name="doc"; filename="a.txt"\r\nContent-Type: text/plain\r\n\r\nhello\r\n');
    expect(body).toContain('name="note"\r\n\r\nn\r\n');
  });

  test('bytes, in both directions', async () => {
    const bytes = Buffer.from([0x89, 0x50, 0x00, 0xff]);
    service.on('/v1/picture', (response, request) => {
      response.writeHead(request.method === 'PUT' ? 204 : 200, { 'content-type': 'image/png' });
      response.end(request.method === 'PUT' ? '' : bytes);
    });
    expect(await run('get_picture', {})).toEqual({ base64: bytes.toString('base64') });
    await run('put_picture', { body: bytes.toString('base64') });
    const [, put] = service.requestsOf('/v1/picture');
    expect(put?.bytes.equals(bytes)).toBe(true);
    expect(put?.headers['content-type']).toBe('image/png');
  });
});

test('input that its schema forbids is refused before anything is sent', async () => {
  await expect(project.run('shop.create_item', { name: 7 })).rejects.toMatchObject({ code: 'input.invalid' });
  await expect(project.run('shop.get_picture', { surprise: 1 })).rejects.toMatchObject({ code: 'input.invalid' });
});
