import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { cancelTask } from '../../src/client/index.js';
import type { JsonObject } from '../../src/contracts/json.js';
import { workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import { apiAbility, readLog } from '../fixtures/servers/definitions.js';
import {
  breakOff,
  closedPort,
  inTurn,
  json,
  sayNothing,
  send,
  startService,
} from '../fixtures/servers/recording-service.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

let service: Awaited<ReturnType<typeof startService>>;
let project: RunningProject;
let counter = 0;

beforeAll(async () => {
  service = await startService();
  project = await runProject({});
});
afterAll(async () => {
  await project.stop();
  await service.stop();
});

/** Defines a new ability for a path of the service. */
function define(effects: string, path: string, api: JsonObject = {}, origin = service.origin): string {
  counter += 1;
  const key = `fail.case_${counter}`;
  project.write(apiAbility(key, origin, { method: 'POST', path, ...api }, { more: { effects } }));
  return key;
}

const call = (effects: string, path: string, api: JsonObject = {}, origin = service.origin) =>
  project.run(define(effects, path, api, origin));
const failed = (code: string, attempts: number) => ({
  status: 'failed',
  error: { code },
  steps: [{ status: code.startsWith('timeout') ? 'timed_out' : 'failed', attempts }],
});
const unknown = (seen: string) => ({
  status: 'unknown',
  error: { code: 'outcome.unknown', details: { seen: { code: seen } } },
  steps: [{ status: 'unknown', attempts: 1 }],
});

describe('a status that means failure', () => {
  test.each([304, 501])('%d is not retried, since repeating cannot change it', async (status) => {
    service.on(`/status-${status}`, send(status, 'text/plain', ''));
    expect(await call('read', `/status-${status}`)).toMatchObject(failed(`http.${status}`, 1));
  });

  test.each([429, 503])('%d is retried when the service asks for it, and not before', async (status) => {
    const path = `/later-${status}`;
    const busy = send(status, 'text/plain', '', { 'retry-after': '1.3' });
    service.on(path, inTurn(busy, json('done')));
    const result = await call('read', path);
    expect(result).toMatchObject({ status: 'succeeded', steps: [{ attempts: 2 }] });
    const [first, second] = service.requestsOf(path);
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(1300);
  });

  test('that asks for a wait beyond the time of the step is not retried, and says until when', async () => {
    service.on('/tomorrow', send(429, 'text/plain', 'enough', { 'retry-after': '86400', 'x-ratelimit-limit': '5' }));
    const { error } = await call('read', '/tomorrow');
    expect(error).toMatchObject({ code: 'http.429', message: expect.stringMatching(/not to be asked before 2\d{3}-/) });
    expect(error?.details).toMatchObject({ headers: { 'retry-after': '86400', 'x-ratelimit-limit': '5' } });
    expect(service.requestsOf('/tomorrow')).toHaveLength(1);
  });

  test('delays a group that is tried again, and ends one that has not that much time', async () => {
    const group = async (path: string, seconds: string) => {
      service.on(path, inTurn(send(503, 'text/plain', '', { 'retry-after': seconds }), json('done')));
      const step = { id: 'a', call: define('write_additive', path), with: {} };
      const steps = [{ id: 'g', retry: { attempts: 2, first: '10ms' }, steps: [step] }];
      const id = `group_${path.slice(1)}`;
      project.write(workflow(id, `steps: ${JSON.stringify(steps)}`));
      return project.run(id);
    };
    expect(await group('/soon', '0.8')).toMatchObject({ status: 'succeeded' });
    const [first, second] = service.requestsOf('/soon');
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(800);
    expect(await group('/never', '999999')).toMatchObject({ status: 'failed', error: { code: 'http.503' } });
  });

  test.each([400, 401, 404, 409, 422])('%d is not retried, and its body is reported', async (status) => {
    service.on(`/status-${status}`, json({ reason: 'as I say' }, status));
    const result = await call('read', `/status-${status}`);
    expect(result).toMatchObject(failed(`http.${status}`, 1));
    expect(result.error).toMatchObject({ details: { status, body: '{"reason":"as I say"}' } });
    expect(result.error?.message).toMatch(/as I say/);
  });

  test.each([408, 425, 429, 500, 502, 503, 504])('%d is retried if the effect allows it', async (status) => {
    service.on(`/again-${status}`, inTurn(send(status, 'text/plain', ''), json('done')));
    const result = await call('write_idempotent', `/again-${status}`);
    expect(result).toMatchObject({ status: 'succeeded', output: 'done', steps: [{ attempts: 2 }] });
  });

  test.each([500, 503])('%d is not retried if the effect must not be repeated', async (status) => {
    service.on(`/once-${status}`, send(status, 'text/plain', ''));
    expect(await call('write_additive', `/once-${status}`)).toMatchObject(failed(`http.${status}`, 1));
    expect(service.requestsOf(`/once-${status}`)).toHaveLength(1);
  });

  test.each([502, 504])('%d of a gateway leaves open whether the effect took place', async (status) => {
    service.on(`/gateway-${status}`, send(status, 'text/plain', ''));
    expect(await call('write_additive', `/gateway-${status}`)).toMatchObject(unknown(`http.${status}`));
  });

  test.each([
    [503, 2],
    [429, 2],
    [500, 1],
    [404, 1],
  ])('%d does or does not count as unavailable if a step names its errors', async (status, attempts) => {
    service.on(`/named-${status}`, inTurn(send(status, 'text/plain', ''), json('done')));
    const id = `names_${status}`;
    const step = { id: 'a', call: define('read', `/named-${status}`), with: {} };
    const retry = { attempts: 2, first: '10ms', errors: ['unavailable'] };
    project.write(workflow(id, `steps: ${JSON.stringify([{ ...step, retry }])}`));
    const result = await project.run(id);
    expect(result).toMatchObject({ status: attempts === 2 ? 'succeeded' : 'failed', steps: [{ attempts }] });
  });

  test('is reported unchanged after the last attempt', async () => {
    service.on('/always', send(503, 'text/plain', 'down for the night'));
    expect(await call('read', '/always')).toMatchObject(failed('http.503', 3));
    expect(service.requestsOf('/always')).toHaveLength(3);
  });
});

describe('a connection', () => {
  test('that is refused is unavailable.connection; nothing was sent, so nothing is unknown', async () => {
    const origin = `http://127.0.0.1:${await closedPort()}`;
    const [once, again] = await Promise.all([
      call('write_additive', '/x', {}, origin),
      call('write_idempotent', '/x', {}, origin),
    ]);
    expect(once).toMatchObject(failed('unavailable.connection', 1));
    expect(once.error?.message).toContain(origin.slice('http://'.length));
    expect(again).toMatchObject(failed('unavailable.connection', 3));
  });

  test('to a name that does not exist sends nothing either', async () => {
    const result = await call('write_additive', '/x', {}, 'http://no-such-host.invalid:80');
    expect(result).toMatchObject(failed('unavailable.connection', 1));
  });

  test('that cannot be secured sends nothing either', async () => {
    const result = await call('write_additive', '/tls', {}, `https://127.0.0.1:${service.port}`);
    expect(result).toMatchObject(failed('unavailable.connection', 1));
    expect(service.requestsOf('/tls')).toEqual([]);
  });

  test('that breaks after the request was sent leaves the outcome unknown, or is retried', async () => {
    service.on('/reset', breakOff);
    expect(await call('write_additive', '/reset')).toMatchObject(unknown('unavailable.connection'));
    expect(service.requestsOf('/reset')).toHaveLength(1);
    service.on('/reset-once', inTurn(breakOff, json('done')));
    expect(await call('write_idempotent', '/reset-once')).toMatchObject({ output: 'done', steps: [{ attempts: 2 }] });
  });

  test('that breaks in the middle of the answer does the same', async () => {
    service.on('/half', (response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"a":', () => response.socket?.resetAndDestroy());
    });
    expect(await call('write_additive', '/half')).toMatchObject(unknown('unavailable.connection'));
  });
});

describe('a time-out', () => {
  const limit = { timeout_sec: 0.7 };

  test('is timeout.call, or an unknown outcome', async () => {
    service.on('/slow', sayNothing);
    const [again, once] = await Promise.all([
      call('write_idempotent', '/slow', limit),
      call('write_additive', '/slow', limit),
    ]);
    expect(again).toMatchObject(failed('timeout.call', 3));
    expect(once).toMatchObject(unknown('timeout.call'));
  });

  test('also applies while the answer trickles', async () => {
    service.on('/trickle', (response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      // The worker is in this process: a time-out must hold despite garbage collection.
      const timer = setInterval(() => response.write(' ', () => collectGarbage()), 100);
      response.on('close', () => clearInterval(timer));
    });
    expect(await call('write_additive', '/trickle', limit)).toMatchObject(unknown('timeout.call'));
  });

  test('is shared by all redirects of a call', async () => {
    service.on('/hop', (response, { query }) => {
      const left = Number(query.get('left'));
      const headers = left > 0 ? { location: `/hop?left=${left - 1}` } : {};
      setTimeout(() => response.writeHead(left > 0 ? 307 : 200, headers).end(), 400);
    });
    const api = { method: 'GET', query: { left: 3 }, ...limit };
    expect(await call('write_additive', '/hop', api)).toMatchObject(unknown('timeout.call'));
  });

  test.each([
    ['read', 'cancelled'],
    ['write_additive', 'unknown'],
  ])('a cancelled call ends within five seconds even if the service is silent: %s is %s', async (effects, status) => {
    service.on(`/forever-${effects}`, sayNothing);
    const { id } = await project.create(define(effects, `/forever-${effects}`));
    await expect.poll(() => service.requestsOf(`/forever-${effects}`).length, { timeout: 20_000 }).toBe(1);
    const started = performance.now();
    await cancelTask(project.connection, id);
    expect(await project.wait(id)).toMatchObject({ result: { status } });
    expect(performance.now() - started).toBeLessThan(5000);
  });
});

test('an answer larger than an output may be is output.too_large, and is not retried', async () => {
  service.on('/huge', (response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.end('x'.repeat(8 * 1024 * 1024 + 1));
  });
  expect(await call('read', '/huge')).toMatchObject(failed('output.too_large', 1));
});

describe('a rate limit', () => {
  /** Moves the clock of this process, and so of its worker, ahead. */
  const ahead = (ms: number) => {
    const now = Date.now.bind(Date);
    return vi.spyOn(Date, 'now').mockImplementation(() => now() + ms);
  };

  /** The state of the activity of a task, as reported by Temporal. */
  const stateOfCall = async (id: string) =>
    (await project.connection.temporal.workflow.getHandle(id).describe()).raw.pendingActivities?.[0]?.state;
  /** `PendingActivityState` of Temporal's API. */
  const STARTED = 2;

  test('delays a call until there is room', async () => {
    const key = define('read', '/limited', { rate_limit: { per_minute: 2 }, timeout_sec: 120 });
    await project.run(key);
    await project.run(key);
    const clock = ahead(57_000);
    try {
      expect(await project.run(key)).toMatchObject({ status: 'succeeded', steps: [{ attempts: 1 }] });
    } finally {
      clock.mockRestore();
    }
    const [first, second, third] = service.requestsOf('/limited').map(({ at }) => at) as [number, number, number];
    expect(second - first).toBeLessThan(2000);
    expect(third - first).toBeGreaterThan(2500);
  });

  test('that leaves no room in time is unavailable.rate_limited, and nothing is sent', async () => {
    const key = define('write_additive', '/full', { rate_limit: { per_day: 1 } });
    expect(await project.run(key)).toMatchObject({ status: 'succeeded' });
    expect(await project.run(key)).toMatchObject(failed('unavailable.rate_limited', 1));
    expect(service.requestsOf('/full')).toHaveLength(1);
  });

  test('does not delay a cancellation', async () => {
    const key = define('read', '/waits', { rate_limit: { per_minute: 1 }, timeout_sec: 50 });
    await project.run(key);
    const clock = ahead(30_000);
    const { id } = await project.create(key);
    await expect.poll(() => stateOfCall(id), { timeout: 20_000 }).toBe(STARTED);
    clock.mockRestore();
    const started = performance.now();
    await cancelTask(project.connection, id);
    expect(await project.wait(id)).toMatchObject({ kind: 'ended', result: { status: 'cancelled' } });
    expect(performance.now() - started).toBeLessThan(5000);
    expect(service.requestsOf('/waits')).toHaveLength(1);
  });
});

test('each request is a line of the log, with its answer', async () => {
  service.on('/logged', inTurn(breakOff, json('done')));
  const result = await call('read', '/logged');
  const requests = readLog(project.root, result.task_key as string).filter(({ stream }) => stream === 'request');
  expect(requests).toMatchObject([
    { attempt: 1, text: expect.stringMatching(/^POST http:.*\/logged -> /) },
    { attempt: 2, text: expect.stringMatching(/^POST http:.*\/logged -> 200 \(\d+ ms\)$/) },
  ]);
});
