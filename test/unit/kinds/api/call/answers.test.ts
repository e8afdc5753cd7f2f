import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CallFailure } from '../../../../../src/activities/call/call-failure.js';
import type { CallInput } from '../../../../../src/activities/call/call-input.js';
import { CallLog } from '../../../../../src/activities/call/call-log.js';
import { closeAgents } from '../../../../../src/activities/connections/guarded-connections.js';
import type { Json, JsonObject } from '../../../../../src/contracts/json.js';
import { ATTRIBUTES } from '../../../../../src/contracts/traces.js';
import { answerName } from '../../../../../src/kinds/api/call/read-answer.js';
import { SecretSource } from '../../../../../src/planning/secrets/secret-source.js';
import { runWithin } from '../../../../../src/tracing/current-span.js';
import { serverOf } from '../../../../../src/tracing/trace-model-call.js';
import {
  type Answer,
  breakOff,
  closedPort,
  json,
  type RecordingService,
  sayNothing,
  send,
  startService,
} from '../../../../fixtures/servers/recording-service.js';
import { callService } from './called-api.js';
import { SECRETS } from './planned-request.js';

let service: RecordingService;

beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await closeAgents();
  await service.stop();
});

/** Calls a path that always gives this answer. */
function answered(answer: Answer, api: JsonObject = {}, more: Partial<CallInput> = {}): Promise<Json> {
  service.on('/x', answer);
  return callService(service, { path: '/x', ...api }, more);
}

/** The error with which a call ends. */
async function failureOf(call: Promise<unknown>): Promise<CallFailure> {
  return call.then(
    () => Promise.reject(new Error('it succeeded')),
    (error: CallFailure) => error,
  );
}

describe('the output of a call', () => {
  test.each<[string, Answer, JsonObject, unknown]>([
    ['is the body', json({ a: 1 }), {}, { a: 1 }],
    ['is null without one', send(204, 'text/plain', ''), {}, null],
    ['is JSON if it is an object, whatever its type', send(200, 'text/plain', '{"a":1}'), {}, { a: 1 }],
    ['is JSON for a type that ends in +json', send(200, 'application/problem+json', '7'), {}, 7],
    ['is text if it is not JSON', send(200, 'text/plain', 'hi'), {}, { text: 'hi' }],
    ['is text if a plain text looks like null', send(200, 'text/plain', 'null'), {}, { text: 'null' }],
    ['is text if a plain text looks like a number', send(200, 'text/plain', '7'), {}, { text: '7' }],
    ['is text if the definition sets this', json({ a: 1 }), { response: { as: 'text' } }, { text: '{"a":1}' }],
    [
      'is base64 if the definition sets this',
      send(200, 'x/y', 'hi'),
      { response: { as: 'base64' } },
      { base64: 'aGk=' },
    ],
    ['has the status', json(1, 201), { response: { status: true } }, { status: 201, body: 1 }],
    [
      'has the requested headers, named as in the definition',
      json(1, 200, { 'X-Left': '3' }),
      { response: { headers: ['X-LEFT', 'x-none'] } },
      { body: 1, headers: { 'X-LEFT': '3' } },
    ],
    [
      'has each repeated header as one text',
      (response) => response.writeHead(200, { 'x-many': ['a', 'b'] }).end('1'),
      { response: { as: 'json', headers: ['x-many'] } },
      { body: 1, headers: { 'x-many': 'a, b' } },
    ],
    ...['aÿ', '＿x', '⻿x', 'ﻀx'].map((text): [string, Answer, JsonObject, unknown] => [
      `keeps the characters of ${text}`,
      (response) => response.writeHead(200, { 'content-type': 'text/plain' }).end(text),
      {},
      { text },
    ]),
    [
      'is decoded with the charset of the answer',
      (response) => response.writeHead(200, { 'content-type': 'text/plain; charset=latin1' }).end(Buffer.from([0xe4])),
      {},
      { text: 'ä' },
    ],
    [
      'is decoded without the byte order mark',
      (response) => response.writeHead(200, { 'content-type': 'application/json' }).end(Buffer.from('\ufeff{}')),
      {},
      {},
    ],
  ])('%s', async (_, answer, api, output) => {
    expect(await answered(answer, api)).toEqual(output);
  });

  test.each([
    ['12345678', true],
    ['1234567', false],
  ])('masks secrets of eight characters, since shorter ones may be ordinary text: %s, %s', async (KEY, isMasked) => {
    const auth = { query: { token: '{credential:key}' } };
    const secrets = new SecretSource('/nowhere', 'dev', { ...SECRETS, KEY });
    const output = await answered(json({ next: `/y?token=${KEY}` }), { auth }, { secrets });
    expect(output).toEqual({ next: `/y?token=${isMasked ? '***' : KEY}` });
  });

  test('never contains a long secret of the address', async () => {
    const auth = { query: { token: '{credential:key}' } };
    const repeat: Answer = (response, { query }) =>
      json({ next: `/y?token=${query.get('token')}` })(response, {} as never, 1);
    const output = await answered(repeat, { auth });
    expect(JSON.stringify(output)).not.toContain(SECRETS.KEY);
    expect(output).toMatchObject({ next: expect.stringContaining('/y?token=') });
  });
});

describe('text in addition to a status is an output', () => {
  const schemas: [string, JsonObject | null, boolean][] = [
    ['any output is allowed', null, true],
    ['the body may have a text', { properties: { body: { properties: { text: {} } } } }, true],
    ['the body has no text', { properties: { body: { properties: { id: {} } } } }, false],
    ['the body may be anything', { properties: { body: true } }, false],
    ['there is no body', { properties: { text: {} } }, false],
    ['there are no properties', { type: 'object' }, false],
  ];

  test.each(schemas)('if %s under the contract: %j, %s', async (_, outputSchema, isOutput) => {
    const call = answered(send(200, 'text/html', 'hi'), { response: { status: true } }, { outputSchema });
    if (isOutput) expect(await call).toEqual({ status: 200, body: { text: 'hi' } });
    else await expect(call).rejects.toMatchObject({ code: 'api.output_invalid' });
  });
});

describe('an answer that cannot be used', () => {
  test.each<[string, Answer, JsonObject, Partial<CallInput>, string]>([
    ['is declared to be JSON and is not', send(200, 'application/json', 'hi'), {}, {}, 'api.output_invalid'],
    ['must be JSON and is not', send(200, 'text/plain', 'hi'), { response: { as: 'json' } }, {}, 'api.output_invalid'],
    [
      'is text if the contract has no text',
      send(200, 'text/html', 'log in'),
      {},
      { outputSchema: { type: 'object', properties: { id: {} } } },
      'api.output_invalid',
    ],
    ['has an unknown charset', send(200, 'text/plain; charset=x-y', 'a'), {}, {}, 'api.output_invalid'],
    [
      'has bytes that are not UTF-8',
      (r) => void r.writeHead(200, {}).end(Buffer.from([0xff, 0x41])),
      {},
      {},
      'api.output_invalid',
    ],
    [
      'does not match the charset that it names',
      (r) => void r.writeHead(200, { 'content-type': 'text/plain; charset=utf-16le' }).end(Buffer.from([0x41])),
      {},
      {},
      'api.output_invalid',
    ],
    ['has an unsafe key', send(200, 'application/json', '{"__proto__":{}}'), {}, {}, 'api.output_invalid'],
    ['is larger than an output', json('x'.repeat(20)), {}, { outputBytes: 10 }, 'output.too_large'],
  ])('%s', async (_, answer, api, more, code) => {
    await expect(answered(answer, api, more)).rejects.toMatchObject({ code });
  });

  test('because of its bytes suggests how to receive them', async () => {
    const bytes: Answer = (response) => response.writeHead(200, {}).end(Buffer.from([0xff]));
    const advice = { suggestion: expect.stringContaining('as: base64') };
    await expect(answered(bytes)).rejects.toMatchObject(advice);
    await expect(answered(send(200, 'text/plain; charset=x-y', 'a'))).rejects.toMatchObject(advice);
  });

  test('is reported with its type, or that it has none', async () => {
    const json = { response: { as: 'json' } };
    await expect(answered(send(200, 'x/y', 'hi'), json)).rejects.toMatchObject({
      message: expect.stringContaining('answered with x/y, and its body is not JSON: hi'),
    });
    await expect(answered((response) => response.end('hi'), json)).rejects.toMatchObject({
      message: expect.stringContaining('answered with something'),
    });
  });

  test('is not one of exactly the output limit', async () => {
    expect(await answered(json('x'.repeat(8)), {}, { outputBytes: 10 })).toBe('x'.repeat(8));
  });

  test('that is text suggests how to receive it', async () => {
    const refused = answered(send(200, 'text/html', 'hi'), {}, { outputSchema: { type: 'object' } });
    await expect(refused).rejects.toMatchObject({ suggestion: expect.stringContaining('as: text') });
    await expect(answered(send(200, 'application/json', 'hi'))).rejects.toMatchObject({ suggestion: undefined });
  });
});

describe('a failure of the service', () => {
  test.each([
    [300, false],
    [404, false],
    [429, false],
    [500, false],
    [502, true],
    [503, false],
    [504, true],
  ])('%i is http.%i, and its effect is unclear: %s', async (status, unclear) => {
    await expect(answered(send(status, 'text/plain', 'why'))).rejects.toMatchObject({
      code: `http.${status}`,
      message: expect.stringContaining(`answered ${status}: why`),
      details: { status, body: 'why' },
      unclear,
    });
  });

  test('is reported with the headers that matter, and with no others', async () => {
    const headers = { 'www-authenticate': 'Bearer', 'x-request-id': 'r-1', 'set-cookie': 'a=b', 'x-token': 't' };
    await expect(answered(send(401, 'text/plain', '', headers))).rejects.toMatchObject({
      details: { headers: { 'content-type': 'text/plain', 'www-authenticate': 'Bearer', 'x-request-id': 'r-1' } },
    });
    const { details } = await failureOf(answered(send(401, 'text/plain', '', headers)));
    expect(Object.keys((details as { headers: object }).headers)).not.toContain('set-cookie');
    expect(JSON.stringify(details)).not.toMatch(/x-token|retry_at/);
  });

  test('is reported without a body if there is none, and shortened if it is long', async () => {
    await expect(answered(send(500, 'text/plain', ''))).rejects.toMatchObject({
      message: expect.stringMatching(/answered 500$/),
    });
    const long = await failureOf(answered(send(500, 'text/plain', 'x'.repeat(50_000)), {}, { outputBytes: 10 }));
    expect(long).toMatchObject({ code: 'http.500' });
    expect(long.message.length).toBeLessThan(400);
  });

  test('is reported with the whole body if that is exactly the output limit', async () => {
    await expect(answered(send(500, 'text/plain', '0123456789'), {}, { outputBytes: 10 })).rejects.toMatchObject({
      details: { body: '0123456789' },
    });
  });

  test('keeps its code, however large its body is', async () => {
    const call = answered(send(300, 'text/plain', 'x'.repeat(50)), {}, { outputBytes: 10 });
    await expect(call).rejects.toMatchObject({ code: 'http.300' });
  });

  test('does not repeat the secrets that were sent', async () => {
    const echo: Answer = (response, { headers }) =>
      send(403, 'text/plain', `who is ${headers['x-key']}?`)(response, {} as never, 1);
    const failure = await failureOf(answered(echo, { headers: { 'x-key': '{credential:key}' } }));
    expect(failure.code).toBe('http.403');
    expect(JSON.stringify(failure)).not.toContain(SECRETS.KEY);
    expect(failure.message).not.toContain(SECRETS.KEY);
  });

  test('with a broken connection leaves the effect unclear', async () => {
    await expect(answered(breakOff)).rejects.toMatchObject({ code: 'unavailable.connection', unclear: true });
  });

  test('that cannot be reached had no effect', async () => {
    const port = await closedPort();
    const gone = { ...service, port, origin: `http://127.0.0.1:${port}` };
    await expect(callService(gone, { path: '/x' })).rejects.toMatchObject({
      code: 'unavailable.connection',
      unclear: false,
    });
  });

  test('with no answer is a time-out that leaves the effect unclear', async () => {
    await expect(answered(sayNothing, {}, { stop: AbortSignal.timeout(100) })).rejects.toMatchObject({
      code: 'timeout.call',
      unclear: true,
    });
  });

  test('with a truncated body is not an answer', async () => {
    const half: Answer = (response) => {
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"a"', () => response.socket?.resetAndDestroy());
    };
    await expect(answered(half)).rejects.toMatchObject({ code: 'unavailable.connection', unclear: true });
  });

  test('with endless redirects ends after five of them', async () => {
    service.on('/loop', send(302, 'text/plain', '', { location: '/loop' }));
    await expect(callService(service, { path: '/loop' })).rejects.toMatchObject({ code: 'http.302' });
    expect(service.requestsOf('/loop')).toHaveLength(6);
  });
});

describe('each request', () => {
  test('is in the log of the call, with its status and its duration', async () => {
    const log = new CallLog(undefined, '', 1);
    const before = performance.now();
    await answered(json(1, 201), {}, { log });
    const line = log.tailOf('request' as never);
    expect(line).toMatch(/^GET http:\/\/127\.0\.0\.1:\d+\/x -> 201 \(\d+ ms\)$/);
    expect(Number(/\((\d+) ms\)/.exec(line)?.[1])).toBeLessThanOrEqual(Math.ceil(performance.now() - before));
  });

  test('is in the log of the call with the reason if it fails', async () => {
    const log = new CallLog(undefined, '', 1);
    const port = await closedPort();
    await callService({ port, origin: `http://127.0.0.1:${port}` }, { path: '/x' }, { log }).catch(() => {});
    expect(log.tailOf('request' as never)).toMatch(/\/x -> connect ECONNREFUSED/);
  });

  test('names its server and the status of its answer in the span of the call', async () => {
    const attributes: object[] = [];
    const open = { set: (more: object) => void attributes.push(more), fail: () => {} };
    await runWithin({ tracer: {}, context: {}, open } as never, () => answered(json(1, 201)));
    expect(Object.assign({}, ...attributes)).toMatchObject({
      [ATTRIBUTES.httpStatus]: 201,
      ...serverOf(new URL(service.origin)),
    });
  });
});

test('a redirect to a host that is not allowed is not followed', async () => {
  service.on('/away', send(307, 'text/plain', '', { location: `http://127.0.0.2:${service.port}/stolen` }));
  await expect(callService(service, { path: '/away' })).rejects.toMatchObject({ code: 'denied.host' });
  expect(service.requestsOf('/stolen')).toEqual([]);
});

test('a redirected POST is sent as a GET without its body', async () => {
  service.on('/post', send(303, 'text/plain', '', { location: '/seen' }));
  await callService(service, { method: 'POST', path: '/post', body: { type: 'json', value: { a: 1 } } });
  expect(service.requestsOf('/post')).toMatchObject([{ method: 'POST', body: '{"a":1}' }]);
  expect(service.requestsOf('/seen')).toMatchObject([{ method: 'GET', body: '' }]);
  expect(service.requestsOf('/seen')[0]?.headers['content-type']).toBeUndefined();
});

describe('the name of an answer that is a file', () => {
  test.each<[string | string[] | undefined, string, string | undefined, string]>([
    ['attachment; filename="a b.txt"', '/x', undefined, 'a b.txt'],
    ['attachment; filename=plain.txt', '/x', undefined, 'plain.txt'],
    ["attachment; filename=old.txt; filename*=UTF-8''n%C3%A4me.txt", '/x', undefined, 'näme.txt'],
    ['attachment; filename="say \\"hi\\".txt"', '/x', undefined, 'say "hi".txt'],
    ['attachment; filename="../../etc/passwd"', '/x', undefined, 'passwd'],
    ['inline', '/reports/a%20b.pdf', undefined, 'a b.pdf'],
    [['one', 'two'], '/report.pdf', undefined, 'report.pdf'],
    [undefined, '/', 'application/pdf', 'answer.pdf'],
    [undefined, '/', undefined, 'answer'],
    [undefined, '/%zz', 'application/json', 'answer.json'],
    ["attachment; filename*=UTF-8''%zz", '/y.txt', undefined, 'y.txt'],
  ])('%j of %s, %s: %s', (disposition, path, type, name) => {
    expect(answerName(disposition, new URL(`http://x.test${path}`), type)).toBe(name);
  });
});
