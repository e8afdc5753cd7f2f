import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { signalTask, viewTask } from '../../src/client/index.js';
import type { JsonObject } from '../../src/contracts/json.js';
import { projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { apiAbility, config, lowLevel, readLog } from '../fixtures/servers/definitions.js';
import { inTurn, json, type RecordedRequest, send, startService } from '../fixtures/servers/recording-service.js';

const TOKEN = 'token-of-the-dev-environment';

let service: Awaited<ReturnType<typeof startService>>;
let project: RunningProject;
let counter = 0;

beforeAll(async () => {
  service = await startService();
  project = await runProject({
    'ability.yaml': projectFile('{ dev: { vars: { region: eu } }, staging: {} }'),
    '.env': 'SERVICE_TOKEN=general\n',
    '.env.dev': `SERVICE_TOKEN=${TOKEN}\nSERVICE_URL=${service.origin}/from-env\n`,
  });
});
afterAll(async () => {
  await project.stop();
  await service.stop();
});

/** Makes a new ability from a request, and calls it once. */
async function call(api: JsonObject, input: JsonObject = {}, settings: JsonObject = {}, more: JsonObject = {}) {
  counter += 1;
  const key = `http.case_${counter}`;
  const effects = { effects: 'write_additive', ...more };
  project.write(apiAbility(key, service.origin, api, { settings, more: effects }));
  return project.run(key, input);
}

/** The only request to a path. */
function only(path: string): RecordedRequest {
  const requests = service.requestsOf(path);
  expect(requests).toHaveLength(1);
  return requests[0] as RecordedRequest;
}

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error) => error,
  );

describe('the path', () => {
  test.each([
    ['a plain value', '/users/{id}', { id: 'u-1' }, '/users/u-1'],
    ['a number', '/numbers/{id}', { id: 7 }, '/numbers/7'],
    ['what needs encoding', '/users/{id}', { id: 'a b/c?d#e%2e' }, '/users/a%20b%2Fc%3Fd%23e%252e'],
    ['text of any alphabet', '/users/{id}', { id: 'ünï' }, '/users/%C3%BCn%C3%AF'],
    ['two values', '/a/{x}/b/{y}', { x: '1', y: '2' }, '/a/1/b/2'],
    ['{+name} keeps slashes', '/files/{+path}', { path: 'a/b c/d' }, '/files/a/b%20c/d'],
  ])('%s', async (_, path, input, expected) => {
    const result = await call({ method: 'GET', path }, input);
    expect(result).toMatchObject({ status: 'succeeded', output: { ok: true } });
    expect(only(expected).url).toBe(expected);
  });

  test('is appended to the path of the endpoint', async () => {
    project.write(apiAbility('http.under', `${service.origin}/base/`, { path: '/under/{id}' }));
    expect(await project.run('http.under', { id: 'x' })).toMatchObject({ status: 'succeeded' });
    expect(only('/base/under/x').method).toBe('GET');
  });

  test.each([
    ['..', '/up/{id}', { id: '..' }],
    ['.', '/up/{id}', { id: '.' }],
    ['nothing', '/up/{id}', { id: '' }],
    ['.. among kept slashes', '/up/{+path}', { path: 'a/../../b' }],
    ['a missing value', '/up/{id}', {}],
    ['a map', '/up/{id}', { id: { a: 1 } }],
  ])('cannot be led elsewhere by %s', async (_, path, input) => {
    expect(await call({ path }, input as JsonObject)).toMatchObject({
      status: 'failed',
      error: { code: 'input.invalid' },
    });
  });
});

describe('input that nothing else uses', () => {
  test.each(['GET', 'DELETE', 'HEAD'])('goes to the query of %s; lists repeat, null is omitted', async (method) => {
    const input = { id: '1', q: 'a b&c=d', tags: ['x', 'y'], n: 2, yes: true, none: null };
    const path = `/query-${method}/{id}`;
    expect(await call({ method, path }, input)).toMatchObject({ status: 'succeeded' });
    const { method: seen, query, body } = only(`/query-${method}/1`);
    expect(seen).toBe(method);
    expect([...query]).toEqual([
      ['q', 'a b&c=d'],
      ['tags', 'x'],
      ['tags', 'y'],
      ['n', '2'],
      ['yes', 'true'],
    ]);
    expect(body).toBe('');
  });

  test.each(['POST', 'PUT', 'PATCH'])('goes to the JSON body of %s', async (method) => {
    const path = `/body-${method}/{id}`;
    await call({ method, path }, { id: '1', nested: { list: [1, { a: null }] }, text: 'ä' });
    const { url, headers, body } = only(`/body-${method}/1`);
    expect(url).toBe(`/body-${method}/1`);
    expect(headers['content-type']).toBe('application/json');
    expect(JSON.parse(body)).toEqual({ nested: { list: [1, { a: null }] }, text: 'ä' });
  });

  test('a map in a query is input.invalid, and nothing is sent', async () => {
    const result = await call({ path: '/map' }, { filter: { a: 1 } });
    expect(result).toMatchObject({ status: 'failed', error: { code: 'input.invalid' } });
    expect(result.error?.message).toMatch(/filter/);
    expect(service.requestsOf('/map')).toEqual([]);
  });

  test('is only what `query`, `headers` and `body` do not name', async () => {
    const api = {
      method: 'POST',
      path: '/named',
      query: { page: '${{ input.page + 1 }}', region: '${{ environment.vars.region }}' },
      headers: { 'X-Trace': 'trace-${{ input.trace }}' },
    };
    await call(api, { page: 1, trace: 't', rest: 'r' });
    const { query, headers, body } = only('/named');
    expect(Object.fromEntries(query)).toEqual({ page: '2', region: 'eu' });
    expect(headers['x-trace']).toBe('trace-t');
    expect(JSON.parse(body)).toEqual({ rest: 'r' });
  });

  test('`body` is the whole body', async () => {
    const body = { value: { user: { id: '${{ input.id }}' }, list: '${{ input.list }}', fixed: 1 } };
    await call({ method: 'PUT', path: '/whole', body }, { id: 'u', list: [1, 2], unused: 'x' });
    expect(JSON.parse(only('/whole').body)).toEqual({ user: { id: 'u' }, list: [1, 2], fixed: 1 });
  });

  test('an absent input omits its parameter, in the query and in the headers', async () => {
    const optional = await call({
      path: '/absent',
      query: { limit: '${{ input.?limit }}' },
      headers: { 'X-Trace': '${{ input.?trace }}' },
    });
    expect(optional).toMatchObject({ status: 'succeeded' });
    expect(only('/absent').url).toBe('/absent');
    expect(only('/absent').headers).not.toHaveProperty('x-trace');
  });
});

describe('headers', () => {
  const credentials = { credentials: { token: 'env:SERVICE_TOKEN' } };
  const withToken = { Authorization: 'Bearer {credential:token}' };

  test('hold credentials by reference, from .env.<environment>, and never expose them', async () => {
    service.on('/authorized', (response, request, nth) =>
      json({ error: `no entry for ${request.headers.authorization}` }, 403)(response, request, nth),
    );
    const result = await call({ path: '/authorized', headers: withToken }, {}, credentials);
    expect(only('/authorized').headers.authorization).toBe(`Bearer ${TOKEN}`);
    expect(result).toMatchObject({ status: 'failed', error: { code: 'http.403', details: { status: 403 } } });
    expect(result.error?.message).toContain('no entry for Bearer ***');
    const log = readLog(project.root, result.task_key as string);
    expect(log).toContainEqual(
      expect.objectContaining({ stream: 'request', text: expect.stringMatching(/^GET .* 403/) }),
    );
    expect(JSON.stringify([result, log])).not.toContain(TOKEN);
  });

  test('R-000-73: a missing credential is reported at preflight by its name, and nothing is created', async () => {
    const settings = { credentials: { token: 'env:BILLING_API_TOKEN' } };
    const file = (environment: string) => ({ [environment]: { endpoints: { default: service.origin }, ...settings } });
    project.write({
      ...lowLevel('http.billing', { kind: 'api', api: { path: '/bill', headers: withToken } }),
      ...config('billing', {
        abilities: [{ id: 'http.billing', environments: { ...file('dev'), ...file('staging') } }],
      }),
      ...workflow('bills', 'steps: [{ id: a, call: http.billing, with: {} }]'),
    });
    for (const ability of ['http.billing', 'bills']) {
      const error = await failure(project.create(ability, {}, { environment: 'staging', key: 'bill-1' }));
      expect(error).toMatchObject({ code: 'config.missing_credential' });
      expect(error.message).toMatch(/^Missing required configuration: BILLING_API_TOKEN \(staging\)/);
      expect(error.suggestion).toMatch(/\.env\.staging/);
      expect(existsSync(join(project.root, '.system/implement/bill-1'))).toBe(false);
    }
    expect(service.requestsOf('/bill')).toEqual([]);
  });

  test('input that looks like a credential reference is not resolved', async () => {
    const headers = { ...withToken, 'X-Note': '${{ input.note }}' };
    await call({ path: '/injected', headers }, { note: '{credential:token}' }, credentials);
    expect(only('/injected').headers['x-note']).toBe('{credential:token}');
  });

  test('input that would break out of its header is input.invalid, and nothing is sent', async () => {
    const result = await call(
      { path: '/split', headers: { 'X-Note': '${{ input.note }}' } },
      { note: 'a\r\nX-Evil: 1' },
    );
    expect(result).toMatchObject({ status: 'failed', error: { code: 'input.invalid' } });
    expect(service.requestsOf('/split')).toEqual([]);
  });

  test('an invalid expression in a header is detected at preflight', async () => {
    project.write(apiAbility('http.broken_header', service.origin, { headers: { 'X-A': '${{ input. }}' } }));
    expect(await failure(project.create('http.broken_header'))).toMatchObject({ code: 'expression.syntax' });
  });

  test('the idempotency key is sent, and is the same for each attempt', async () => {
    service.on('/keyed', inTurn(send(503, 'text/plain', 'not now'), json({ done: true })));
    const result = await call({ method: 'POST', path: '/keyed' }, {}, {}, { effects: 'write_idempotent' });
    expect(result).toMatchObject({ status: 'succeeded', output: { done: true }, steps: [{ attempts: 2 }] });
    const keys = service.requestsOf('/keyed').map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual([`${result.task_key}/run`, `${result.task_key}/run`]);
  });
});

describe('answers', () => {
  const schema = (value: JsonObject) => ({ output_schema: value });

  test('JSON of any type, text as {text}, nothing as null', async () => {
    service.on('/json', send(200, 'application/vnd.api+json; charset=utf-8', '[1, {"a": "ä"}]'));
    service.on('/text', send(200, 'text/plain', 'all good'));
    service.on('/empty', send(204, 'text/plain', ''));
    expect(await call({ path: '/json' })).toMatchObject({ status: 'succeeded', output: [1, { a: 'ä' }] });
    expect(await call({ path: '/text' })).toMatchObject({ status: 'succeeded', output: { text: 'all good' } });
    expect(await call({ path: '/empty' })).toMatchObject({ status: 'succeeded', output: null });
  });

  test('may be empty only if the contract allows it', async () => {
    service.on('/nothing', send(204, 'text/plain', ''));
    const allowed = await call({ path: '/nothing' }, {}, {}, schema({ type: ['object', 'null'] }));
    expect(allowed).toMatchObject({ status: 'succeeded', output: null });
    const refused = await call({ path: '/nothing' }, {}, {}, schema({ type: 'object' }));
    expect(refused).toMatchObject({ status: 'failed', error: { code: 'api.output_invalid' } });
  });

  test('that claim to be JSON but are not, or must match a schema but are not JSON, are api.output_invalid', async () => {
    service.on('/lies', send(200, 'application/json', '{"a": 1'));
    service.on('/login', send(200, 'text/html', '<html>Please log in</html>'));
    const lies = await call({ path: '/lies' });
    expect(lies).toMatchObject({ status: 'failed', error: { code: 'api.output_invalid' } });
    const user = schema({ type: 'object', properties: { id: { type: 'string' } } });
    const login = await call({ path: '/login' }, {}, {}, user);
    expect(login).toMatchObject({ status: 'failed', error: { code: 'api.output_invalid' } });
  });

  test('with a key __proto__ are refused', async () => {
    service.on('/proto', send(200, 'application/json', '{"__proto__": {"a": 1}}'));
    expect(await call({ path: '/proto' })).toMatchObject({ status: 'failed', error: { code: 'api.output_invalid' } });
  });
});

test('an endpoint may come from an environment variable', async () => {
  project.write(apiAbility('http.by_name', 'env:SERVICE_URL', { path: '/x' }));
  expect(await project.run('http.by_name')).toMatchObject({ status: 'succeeded' });
  expect(only('/from-env/x').method).toBe('GET');
  project.write(apiAbility('http.by_lost_name', 'env:NO_SUCH_URL', { path: '/x' }));
  const error = await failure(project.create('http.by_lost_name'));
  expect(error).toMatchObject({
    code: 'config.missing_credential',
    message: expect.stringMatching(/NO_SUCH_URL \(dev\)/),
  });
});

// This test replaces the workers, so it is the last.
test('the trace of the request is forwarded, also by tasks that the task calls, and by a later worker', async () => {
  const trace = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
  service.on('/traced', json({ done: true }));
  project.write({
    ...apiAbility('http.traced', service.origin, { method: 'GET', path: '/traced' }),
    ...apiAbility('http.other_trace', service.origin, {
      method: 'GET',
      path: '/traced',
      headers: { Traceparent: 'its own' },
    }),
    ...workflow(
      'traced_inner',
      'steps: [{ id: go, wait: { signal: go } }, { id: ask, call: http.traced }, { id: own, call: http.other_trace }]',
    ),
    ...workflow('traced_outer', 'steps: [{ id: inner, call: traced_inner }]'),
  });
  // An invalid trace is not forwarded.
  await project.run('http.traced', {}, { trace: 'x: y' });
  expect(only('/traced').headers).not.toHaveProperty('traceparent');
  const { id } = await project.create('traced_outer', {}, { run: true, trace });
  const inner = `${id}/inner`;
  const status = async (): Promise<string> => (await viewTask(project.connection, inner)).result.status;
  await expect.poll(() => status().catch(String), { timeout: 20_000 }).toMatch(/^(running|waiting)/);
  await project.restartWorkers();
  await signalTask(project.connection, inner, 'go', null);
  expect(await project.wait(id)).toMatchObject({ result: { status: 'succeeded' } });
  expect(
    service
      .requestsOf('/traced')
      .slice(1)
      .map(({ headers }) => headers.traceparent),
  ).toEqual([trace, 'its own']);
});
