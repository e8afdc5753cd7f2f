import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/contracts/json.js';
import { projectFile } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { apiAbility, readLog } from '../fixtures/servers/definitions.js';
import { json, type RecordedRequest, send, startService } from '../fixtures/servers/recording-service.js';

const SECRETS = { SERVICE_KEY: 'k/ey+of=the service', SERVICE_USER: 'ada-of-the-service', SERVICE_PASSWORD: 'pä:ss' };
const CREDENTIALS = {
  credentials: { key: 'env:SERVICE_KEY', user: 'env:SERVICE_USER', password: 'env:SERVICE_PASSWORD' },
};
const BASIC = { basic: { user: '{credential:user}', password: '{credential:password}' } };
const KEY = { query: { api_key: '{credential:key}' } };

type Service = Awaited<ReturnType<typeof startService>>;
let service: Service;
/** Another host, also allowed by the policy. */
let other: Service;
let project: RunningProject;
let counter = 0;

beforeAll(async () => {
  service = await startService();
  other = await startService();
  const hosts = JSON.stringify([`127.0.0.1:${service.port}`, `127.0.0.1:${other.port}`]);
  project = await runProject({
    'ability.yaml': projectFile('{ dev: {} }', `policy: { allowed_hosts: ${hosts} }`),
    '.env': Object.entries(SECRETS)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  });
});
afterAll(async () => {
  await project.stop();
  await service.stop();
  await other.stop();
});

/** Makes a new ability from a request, and calls it once. */
async function call(api: JsonObject, input: JsonObject = {}, more: JsonObject = {}) {
  counter += 1;
  const key = `form.case_${counter}`;
  const effects = { effects: 'write_additive', ...more };
  project.write(apiAbility(key, service.origin, api, { settings: CREDENTIALS, more: effects }));
  return project.run(key, input);
}

/** The only request to a path. */
function only(path: string, at: Service = service): RecordedRequest {
  const requests = at.requestsOf(path);
  expect(requests).toHaveLength(1);
  return requests[0] as RecordedRequest;
}

/** The fields of a multipart or form body, as read by an independent parser. */
function parsed({ bytes, headers }: RecordedRequest) {
  return new Response(new Uint8Array(bytes), { headers: { 'content-type': headers['content-type'] ?? '' } }).formData();
}

/** Everything that people can read of a task afterwards. */
function storedTexts(task: string): string {
  const folder = join(project.root, '.system/implement', task);
  const logs = readdirSync(join(folder, 'logs')).map((name) => `logs/${name}`);
  expect(logs).not.toEqual([]);
  return ['tool_call.md', 'record.json', ...logs].map((file) => readFileSync(join(folder, file), 'utf8')).join();
}

function expectNoSecret(text: string): void {
  const shown = Object.values(SECRETS).flatMap((secret) => [secret, encodeURIComponent(secret)]);
  const basic = Buffer.from(`${SECRETS.SERVICE_USER}:${SECRETS.SERVICE_PASSWORD}`).toString('base64');
  for (const secret of [...shown, basic]) expect(text).not.toContain(secret);
}

describe('parameters', () => {
  test('arrive in the place, under the name and in the style of the definition', async () => {
    const params = {
      user: { in: 'path', name: 'id' },
      ids: { in: 'query', explode: false },
      filter: { in: 'query', style: 'deepObject' },
      trace: { in: 'header', name: 'X-Trace' },
      tab: { in: 'cookie' },
      body_id: { in: 'body', name: 'id' },
    };
    const input = {
      user: 'u/1',
      ids: [1, 2],
      filter: { a: { b: 'ü' } },
      trace: 't',
      tab: 'x y',
      body_id: 'b',
      rest: [1],
    };
    const result = await call({ method: 'POST', path: '/params/{id}', params }, input);
    expect(result).toMatchObject({ status: 'succeeded' });
    const { url, query, headers, body } = only('/params/u%2F1');
    expect(url).toBe('/params/u%2F1?ids=1,2&filter%5Ba%5D%5Bb%5D=%C3%BC');
    expect(Object.fromEntries(query)).toEqual({ ids: '1,2', 'filter[a][b]': 'ü' });
    expect(headers).toMatchObject({ 'x-trace': 't', cookie: 'tab=x%20y' });
    expect(JSON.parse(body)).toEqual({ id: 'b', rest: [1] });
  });

  test('that are absent are omitted', async () => {
    const params = { a: { in: 'query' }, b: { in: 'header' }, c: { in: 'cookie' }, d: { in: 'body' } };
    await call({ method: 'POST', path: '/absent', params });
    const { url, headers, body } = only('/absent');
    expect([url, body]).toEqual(['/absent', '']);
    for (const name of ['b', 'cookie', 'content-type']) expect(headers).not.toHaveProperty(name);
  });

  test.each<[string, JsonObject, JsonObject]>([
    ['a path without its value', { path: '/hostile/{id}', params: { id: { in: 'path' } } }, {}],
    ['a path with dots', { path: '/hostile/{id}', params: { id: { in: 'path', style: 'label' } } }, { id: '.' }],
    ['a header with a line break', { path: '/hostile', params: { h: { in: 'header' } } }, { h: 'a\r\nX-Evil: 1' }],
    ['a map inside a map', { path: '/hostile', params: { q: { in: 'query' } } }, { q: { a: { b: 1 } } }],
    ['a second value of a credential', { path: '/hostile', auth: KEY }, { api_key: 'mine' }],
  ])('from hostile input are input.invalid, and nothing is sent: %s', async (_, api, input) => {
    expect(await call(api, input)).toMatchObject({ status: 'failed', error: { code: 'input.invalid' } });
    expect(service.requestsOf('/hostile')).toEqual([]);
    expect(service.requestsOf('/')).toEqual([]);
  });

  test('of ten thousand items reach the service in a body; the service reports an address that is too long', async () => {
    const items = Array.from({ length: 10_000 }, (_, index) => `item ${index}`);
    const form = { method: 'POST', path: '/many', body: { type: 'form' } };
    expect(await call(form, { items })).toMatchObject({ status: 'succeeded' });
    expect((await parsed(only('/many'))).getAll('items')).toEqual(items);
    const result = await call({ path: '/long', params: { items: { in: 'query' } } }, { items });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'http.431' } });
  });
});

describe('bodies', () => {
  test('a form can be read by any parser', async () => {
    const input = { a: 'x y&z=ä+%', tags: ['1', '2'], card: { exp: { month: 1 } } };
    const params = { card: { in: 'body', style: 'deepObject' } };
    await call({ method: 'POST', path: '/form', params, body: { type: 'form' } }, input);
    expect([...(await parsed(only('/form')))]).toEqual([
      ['a', 'x y&z=ä+%'],
      ['tags', '1'],
      ['tags', '2'],
      ['card[exp][month]', '1'],
    ]);
  });

  test('parts are texts, files and JSON that any parser reads, whatever their names', async () => {
    const bytes = Buffer.from([0, 255, 13, 10, 45, 45]);
    const input = {
      title: 'ä\r\n--',
      tags: ['1', '2'],
      none: null,
      meta: { a: [1] },
      file: { base64: bytes.toString('base64'), filename: 'a"b\r\nX-Evil: 1.png', content_type: 'image/png' },
    };
    await call(
      {
        method: 'POST',
        path: '/parts',
        params: { file: { in: 'body', name: 'up"load' } },
        body: { type: 'multipart' },
      },
      input,
    );
    const fields = await parsed(only('/parts'));
    expect([fields.get('title'), fields.getAll('tags'), fields.has('none')]).toEqual(['ä\r\n--', ['1', '2'], false]);
    expect(fields.get('meta')).toBe('{"a":[1]}');
    const file = fields.get('up"load') as File;
    expect([file.name, file.type]).toEqual(['a"b\r\nX-Evil: 1.png', 'image/png']);
    expect(Buffer.from(await file.arrayBuffer())).toEqual(bytes);
  });

  test('text, bytes and JSON have the content type of the definition', async () => {
    const put = (path: string, body: JsonObject, content: JsonObject['x']) =>
      call({ method: 'PUT', path, body: { value: '${{ input.content }}', ...body } }, { content });
    await put('/text', { type: 'text', content_type: 'text/csv' }, 'a;b\r\n1;ä');
    expect(only('/text')).toMatchObject({ body: 'a;b\r\n1;ä', headers: { 'content-type': 'text/csv' } });
    const bytes = Buffer.from([137, 80, 0, 255]);
    await put('/bytes', { type: 'binary', content_type: 'image/png' }, bytes.toString('base64'));
    expect(only('/bytes').bytes).toEqual(bytes);
    expect(only('/bytes').headers).toMatchObject({ 'content-type': 'image/png', 'content-length': '4' });
    await put('/list', { content_type: 'application/json-patch+json' }, [{ op: 'remove', path: '/a' }]);
    expect(only('/list')).toMatchObject({
      body: '[{"op":"remove","path":"/a"}]',
      headers: { 'content-type': 'application/json-patch+json' },
    });
  });

  test('are sent again after a redirect that keeps the method, and not after one that changes it', async () => {
    const base64 = Buffer.from([1, 2, 255]).toString('base64');
    const api = (path: string) => ({ method: 'POST', path, body: { type: 'binary', value: '${{ input.content }}' } });
    service.on('/again', json({}, 307, { location: '/kept' }));
    service.on('/other', json({}, 303, { location: '/seen' }));
    await call(api('/again'), { content: base64 });
    expect(only('/kept')).toMatchObject({ method: 'POST', bytes: Buffer.from([1, 2, 255]) });
    await call(api('/other'), { content: base64 });
    expect(only('/seen')).toMatchObject({ method: 'GET', body: '' });
    expect(only('/seen').headers).not.toHaveProperty('content-type');
  });
});

describe('R-000-53: credentials', () => {
  const echo = (path: string, status: number) =>
    service.on(path, (response, request, nth) => {
      const answer = { received: request.headers.authorization, next: `http://x.test${request.url}` };
      json(answer, status)(response, request, nth);
    });

  test('of `basic` arrive, and are masked in an error that repeats them, the log or the record', async () => {
    echo('/basic', 403);
    const result = await call({ path: '/basic', auth: BASIC });
    const encoded = Buffer.from(`${SECRETS.SERVICE_USER}:${SECRETS.SERVICE_PASSWORD}`).toString('base64');
    expect(only('/basic').headers.authorization).toBe(`Basic ${encoded}`);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'http.403' } });
    expect(result.error?.message).toContain('Basic ***');
    expectNoSecret(JSON.stringify(result) + storedTexts(result.task_key as string));
  });

  test.each([
    ['an error', 403],
    ['an output', 200],
  ])('in the query arrive, and are masked in %s that repeats the address, the log or the record', async (_, status) => {
    const path = `/key-${status}`;
    echo(path, status);
    const result = await call({ path, query: { a: 1 }, auth: KEY, response: { headers: ['link'] } });
    expect(Object.fromEntries(only(path).query)).toEqual({ a: '1', api_key: SECRETS.SERVICE_KEY });
    expect(JSON.stringify(result)).toContain('api_key=***');
    const log = readLog(project.root, result.task_key as string);
    expect(log).toContainEqual(
      expect.objectContaining({ text: expect.stringMatching(/^GET .*\?a=1&api_key=\*\*\* ->/) }),
    );
    expectNoSecret(JSON.stringify(result) + storedTexts(result.task_key as string));
  });

  test('are not shown when no server answers', async () => {
    service.on('/gone', (response) => void response.socket?.resetAndDestroy());
    const result = await call({ path: '/gone', auth: { ...BASIC, ...KEY } }, {}, { effects: 'read' });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'unavailable.connection' } });
    expectNoSecret(JSON.stringify(result) + storedTexts(result.task_key as string));
  });

  test('are kept at a redirect on the same host', async () => {
    service.on('/moved', json({}, 302, { location: '/here?b=2' }));
    await call({ path: '/moved', auth: { ...BASIC, ...KEY } });
    expect(Object.fromEntries(only('/here').query)).toEqual({ b: '2', api_key: SECRETS.SERVICE_KEY });
    expect(only('/here').headers.authorization).toMatch(/^Basic /);
  });

  test('never cross hosts at a redirect, even if the service repeats its address, nor come back', async () => {
    service.on('/away', (response, { query }) => {
      response.writeHead(307, { location: `${other.origin}/there?${query}&b=2` }).end();
    });
    other.on('/there', json({}, 307, { location: `${service.origin}/back` }));
    await call(
      { method: 'POST', path: '/away', params: { c: { in: 'cookie' } }, auth: { ...BASIC, ...KEY } },
      { c: 'x' },
    );
    const { url, headers } = only('/there', other);
    expect(url).toBe('/there?b=2');
    for (const name of ['authorization', 'cookie']) expect(headers).not.toHaveProperty(name);
    expect(only('/back').url).toBe('/back');
    expect(only('/back').headers).not.toHaveProperty('authorization');
  });

  test('under another name in the address of another host are refused', async () => {
    service.on('/smuggled', (response, { query }) => {
      response
        .writeHead(302, { location: `${other.origin}/taken?x=${encodeURIComponent(query.get('api_key') ?? '')}` })
        .end();
    });
    const result = await call({ path: '/smuggled', auth: KEY });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'denied.host' } });
    expect(other.requestsOf('/taken')).toEqual([]);
    expectNoSecret(JSON.stringify(result) + storedTexts(result.task_key as string));
  });
});

describe('answers', () => {
  const answer = (
    path: string,
    type: string,
    body: string | Buffer,
    headers: Record<string, string> = {},
    status = 200,
  ) =>
    service.on(path, (response) => {
      response.writeHead(status, { 'content-type': type, ...headers });
      response.end(body);
    });
  const outputOf = async (path: string, response: JsonObject, more: JsonObject = {}) => {
    const result = await call({ path, response, ...more });
    return result.status === 'succeeded' ? result.output : result.error?.code;
  };

  test('as text are {text}, even if they are JSON or empty, in the charset they state', async () => {
    answer('/as-json', 'application/json', '{"a":1}');
    answer('/as-latin', 'text/plain; charset=iso-8859-1', Buffer.from([0xe4]));
    answer('/as-lies', 'text/plain; charset=no-such', 'ä');
    service.on('/as-nothing', send(204, 'text/plain', ''));
    expect(await outputOf('/as-json', { as: 'text' })).toEqual({ text: '{"a":1}' });
    expect(await outputOf('/as-latin', { as: 'text' })).toEqual({ text: 'ä' });
    expect(await outputOf('/as-lies', { as: 'text' })).toBe('api.output_invalid');
    expect(await outputOf('/as-nothing', { as: 'text' })).toEqual({ text: '' });
  });

  test('as bytes are {base64}, with every byte', async () => {
    const bytes = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
    answer('/as-bytes', 'image/png', bytes);
    expect(await outputOf('/as-bytes', { as: 'base64' })).toEqual({ base64: bytes.toString('base64') });
  });

  test('as JSON are parsed whatever their content type, and must be JSON', async () => {
    answer('/called-text', 'text/plain', '"a"');
    answer('/no-json', 'text/plain', 'a');
    expect(await outputOf('/called-text', { as: 'json' })).toBe('a');
    expect(await outputOf('/no-json', { as: 'json' })).toBe('api.output_invalid');
  });

  test('with headers are {body, headers}, under the names written; missing ones are omitted', async () => {
    const headers = { link: '</next>; rel="next"', etag: '"1"', location: '/made/1' };
    answer('/made', 'application/json', '{"id":1}', headers, 201);
    expect(await outputOf('/made', { headers: ['Link', 'etag', 'location', 'x-none'] }, { method: 'POST' })).toEqual({
      body: { id: 1 },
      headers: { Link: headers.link, etag: '"1"', location: '/made/1' },
    });
    expect(await outputOf('/made', { headers: ['etag'] }, { method: 'HEAD' })).toEqual({
      body: null,
      headers: { etag: '"1"' },
    });
    expect(await outputOf('/made', { as: 'base64', headers: ['etag'] })).toEqual({
      body: { base64: Buffer.from('{"id":1}').toString('base64') },
      headers: { etag: '"1"' },
    });
  });

  test('with status are {status, body}, with headers too if they are requested', async () => {
    answer('/status', 'application/json', '{"id":1}', { etag: '"1"' }, 202);
    answer('/plain-status', 'text/plain', 'ready');
    service.on('/no-content', send(204, 'text/plain', ''));
    const post = { method: 'POST' };
    expect(await outputOf('/status', { status: true }, post)).toEqual({ status: 202, body: { id: 1 } });
    const both = { status: 202, body: { id: 1 }, headers: { etag: '"1"' } };
    expect(await outputOf('/status', { status: true, headers: ['etag'] }, post)).toEqual(both);
    expect(await outputOf('/plain-status', { status: true })).toEqual({ status: 200, body: { text: 'ready' } });
    expect(await outputOf('/no-content', { status: true })).toEqual({ status: 204, body: null });
  });

  test('with status fail from 300 on, as without it', async () => {
    answer('/status-404', 'application/json', '{}', {}, 404);
    answer('/status-304', 'application/json', '', {}, 304);
    expect(await outputOf('/status-404', { status: true })).toBe('http.404');
    expect(await outputOf('/status-304', { status: true })).toBe('http.304');
  });

  test('that are larger than an output may be are output.too_large, also due to base64', async () => {
    const mebibyte = 1024 * 1024;
    answer('/large', 'image/png', Buffer.alloc(8 * mebibyte + 1));
    answer('/larger-as-text', 'image/png', Buffer.alloc(7 * mebibyte));
    expect(await outputOf('/large', { as: 'base64' })).toBe('output.too_large');
    expect(await outputOf('/larger-as-text', { as: 'base64' })).toBe('output.too_large');
  });

  test('that redirect to an invalid address are reported as they are', async () => {
    service.on('/nowhere', json({}, 302, { location: 'http://[' }));
    expect(await outputOf('/nowhere', { as: 'json' })).toBe('http.302');
  });
});
