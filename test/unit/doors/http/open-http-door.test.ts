import { createHmac } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import type { Connection } from '../../../../src/client/index.js';
import { type HttpDoor, USUAL_LIMITS } from '../../../../src/doors/http/http-door.js';
import { openDoor } from '../../../fixtures/http-door.js';
import { operation, workflow } from '../../../fixtures/project-folder.js';
import { temporaryProject } from '../../temporary-project.js';

const SECRET = 'open sesame';

/** A door whose connection only has what the test gives it. */
async function doorOn(connection: object = {}, more: Partial<HttpDoor> = {}) {
  const { root } = temporaryProject({
    ...operation('util.echo', 'return input;'),
    ...workflow(
      'review',
      `
triggers: [{ webhook: forge, secret: "env:FORGE_SECRET", environment: dev, input: {} }]
steps: [{ id: a, let: {} }]`,
    ),
  });
  const paths = { root, tokens: `${root}/tokens`, records: `${root}/records` };
  const made = { paths, project: 'p', store: { isShared: false }, ...connection } as unknown as Connection;
  const door = await openDoor(made, { env: { FORGE_SECRET: SECRET }, mcp: undefined as never, ...more });
  onTestFinished(() => door.close());
  return door;
}

const HASTY = { ...USUAL_LIMITS, rate: { burst: 2, perSecond: 0.001 } };

test('refused requests do not use up the limits of health checks and of signed deliveries', async () => {
  const door = await doorOn({}, { limits: HASTY });
  const deliver = (secret: string) => {
    const signature = `sha256=${createHmac('sha256', secret).update('{}').digest('hex')}`;
    const headers = { 'x-hub-signature-256': signature, 'x-github-event': 'ping' };
    return door.call('POST', '/v1/webhooks/forge', { body: {}, headers });
  };
  const junk = async () => [
    (await door.call('GET', '/v1/tasks', { token: 'junk' })).status,
    (await deliver('junk')).status,
    (await door.call('POST', '/v1/webhooks/forge', { body: {} })).status,
  ];
  expect([...(await junk()), ...(await junk())]).toEqual([401, 401, 429, 429, 429, 429]);
  const signed = [await deliver(SECRET), await deliver(SECRET), await deliver(SECRET)];
  expect(signed.map(({ status }) => status)).toEqual([200, 200, 429]);
  expect((await door.call('GET', '/v1/health')).status).toBe(503);
});

test('HEAD of the health check is answered as GET is, without a body; that of another path is not', async () => {
  const door = await doorOn();
  const [health, tasks] = await Promise.all(
    ['health', 'tasks'].map((path) => fetch(`${door.url}/v1/${path}`, { method: 'HEAD' })),
  );
  expect([health?.status, await health?.text()]).toEqual([503, '']);
  expect(tasks?.status).toBe(404);
});

test('a compressed body is refused by what it is, before it is read', async () => {
  const door = await doorOn();
  for (const path of ['/v1/runs', '/v1/webhooks/forge']) {
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    const answer = await fetch(door.url + path, { method: 'POST', headers, body: gzipSync('{}') });
    expect(answer.status).toBe(415);
    expect(await answer.json()).toMatchObject({ code: 'door.media_type', detail: 'The body is encoded: gzip' });
  }
});

test('what is no request closes its connection, also for a client that keeps its half open', async () => {
  const door = await doorOn();
  const socket = connect({ port: Number(new URL(door.url).port), allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  let got = '';
  socket.on('data', (piece) => {
    got += String(piece);
  });
  socket.write('hello\r\n\r\n');
  await once(socket, 'end');
  expect(got).toMatch(/^HTTP\/1.1 400 /);
  await expect.poll(() => door.connections(), { timeout: 5000 }).toBe(0);
});

test('a stream of events that fails breaks off, and the operator reads why', async () => {
  const events = async function* () {
    yield { id: '1', type: 'task.created', data: {} };
    throw new TypeError('secret fault');
  };
  const door = await doorOn({}, { ask: async () => events() as never });
  const answer = await fetch(`${door.url}/v1/tasks/k/events`);
  expect(answer.status).toBe(200);
  await expect(answer.text()).rejects.toThrow('terminated');
  expect(door.notes).toEqual([expect.stringMatching(/^GET \/v1\/tasks\/k\/events failed: TypeError: secret fault\n/)]);
});

test('a request whose client leaves is no failure of the door', async () => {
  const client = new AbortController();
  const ended = new EventEmitter();
  const leave = async (): Promise<never> => {
    client.abort();
    await new Promise((resolve) => setTimeout(resolve, 50));
    setImmediate(() => ended.emit('end'));
    throw new TypeError('cut off');
  };
  const hasEnded = once(ended, 'end');
  const door = await doorOn({}, { ask: leave });
  await expect(fetch(`${door.url}/v1/tasks/k/events`, { signal: client.signal })).rejects.toThrow('aborted');
  await hasEnded;
  expect(door.notes).toEqual([]);
});

test('two Idempotency-Key headers are refused', async () => {
  const door = await doorOn();
  const body = JSON.stringify({ ability: 'util.echo' });
  const headers = { 'content-type': 'application/json', 'idempotency-key': ['a', 'b'] };
  const text = await new Promise<string>((resolve) => {
    const sent = request(`${door.url}/v1/tasks`, { method: 'POST', headers }, async (response) =>
      resolve((await response.toArray()).join('')),
    );
    sent.end(body);
  });
  const detail = 'Idempotency-Key was sent more than once, or contains a comma';
  expect(JSON.parse(text)).toMatchObject({ status: 400, code: 'door.bad_request', detail });
});

const ID = '1234567890123456789';

/** Posts a body as it is written. */
async function post(door: { url: string }, path: string, body: string | Buffer, headers: Record<string, string> = {}) {
  const answer = await fetch(`${door.url}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
    body,
  });
  const text = await answer.text();
  // biome-ignore lint/suspicious/noExplicitAny: what the door answers is what the tests look at
  return { status: answer.status, text, body: text.startsWith('{') ? (JSON.parse(text) as any) : undefined };
}

const BROKEN = Buffer.concat([
  Buffer.from('{"ability":"util.echo","input":{"a":"'),
  Buffer.from([0xff]),
  Buffer.from('"}}'),
]);

test.each([
  [
    'an integer that JavaScript would change',
    `{"ability":"util.echo","input":{"rows":[${ID}]}}`,
    'input.invalid',
    '/input/rows/0',
  ],
  ['a key twice', '{"ability":"util.echo","input":{"a":1,"a":2}}', 'input.invalid', '/input/a'],
  ['a key twice beside the input', '{"ability":"a","ability":"b"}', 'input.invalid', '/ability'],
  ['bytes that are not UTF-8', BROKEN, 'door.bad_request', 'byte'],
])('a body with %s is refused with its place', async (_, body, code, place) => {
  const door = await doorOn();
  for (const path of ['/v1/runs', '/v1/tasks', '/v1/abilities/util.echo/plan']) {
    const got = await post(door, path, body);
    expect(got).toMatchObject({ status: 400, body: { code, detail: expect.stringContaining(place) } });
  }
});

test.each([
  ['a key twice', '{"order":{"id":1,"id":2}}', 'twice'],
  ['a number beyond all doubles', '{"order":{"id":1e400}}', '/order/id'],
  ['bytes that are not UTF-8', Buffer.from([0x22, 0xff, 0x22]), 'UTF-8'],
])('a signed delivery with %s is refused', async (_, body, words) => {
  const door = await doorOn();
  const signature = createHmac('sha256', SECRET).update(body).digest('hex');
  const got = await post(door, '/v1/webhooks/forge', body, { 'x-hub-signature-256': `sha256=${signature}` });
  expect(got).toMatchObject({
    status: 400,
    body: { code: 'door.bad_request', detail: expect.stringContaining(words) },
  });
});

test('a message of MCP is exact, or refused with its place', async () => {
  const lend = () => ({ connect: () => Promise.reject(new Error('not needed')), failed: () => {} });
  const times = { patienceMs: 1, lookMs: 1, tokensMs: 1000 };
  const skill = { attach: () => {} } as never;
  const findPage = async () => null;
  const mcp = { expose: [], skill, lend, findPage, typed: (text: string) => text, strict: () => ({}), ...times };
  const door = await doorOn({}, { mcp });
  const call = (args: string, rest = '') =>
    post(
      door,
      '/mcp',
      `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"ability_run"${rest},"arguments":${args}}}`,
    );
  const refusal = (place: string) => ({
    status: 400,
    body: { id: 7, error: { code: -32602, message: expect.stringContaining(place), data: { code: 'input.invalid' } } },
  });
  expect(await call(`{"id":"util.echo","input":{"id":${ID}}}`)).toMatchObject(
    refusal('(at /params/arguments/input/id)'),
  );
  expect(await call('{"id":"a","id":"b"}')).toMatchObject(refusal('"id" twice (at /params/arguments/id)'));
  expect(await call('{}', ',"name":"ability_plan"')).toMatchObject(refusal('"name" twice (at /params/name)'));
  expect((await post(door, '/mcp', `{"jsonrpc":"2.0","id":${ID},"method":"ping"}`)).body).toMatchObject({ id: null });
  expect((await post(door, '/mcp', Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]))).status).toBe(400);
});
