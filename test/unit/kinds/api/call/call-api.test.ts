import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { CallInput } from '../../../../../src/activities/call/call-input.js';
import { CallLog } from '../../../../../src/activities/call/call-log.js';
import { closeAgents } from '../../../../../src/activities/connections/guarded-connections.js';
import { callApi } from '../../../../../src/kinds/api/call/call-api.js';
import { RateLimiter } from '../../../../../src/kinds/api/call/rate-limit.js';
import { SecretSource } from '../../../../../src/planning/secrets/secret-source.js';
import { callFiles } from '../../../../fixtures/memory-files.js';
import { type RecordingService, send, startService } from '../../../../fixtures/servers/recording-service.js';
import { plannedApi } from './planned-request.js';

let service: RecordingService;

beforeAll(async () => {
  service = await startService();
});
afterAll(async () => {
  await closeAgents();
  await service.stop();
});

let begun: number;
beforeEach(() => {
  begun = 0;
});

/** Calls the service. @param allowed hosts of the policy. @param begin leaves the mark of the call. @param limiter of its rate. */
function call(
  path: string,
  allowed: string[],
  begin = async () => void (begun += 1),
  limiter: Pick<RateLimiter, 'take'> = new RateLimiter(),
): Promise<unknown> {
  const planned = plannedApi({ method: 'POST', path });
  const implementation = { ...planned, api: { ...planned.api, base_url: service.origin, allowed_hosts: allowed } };
  const input: CallInput = {
    input: {},
    taskKey: 't-1',
    ability: 'a.b',
    path: 'a',
    idempotencyKey: 't-1/a',
    environment: { name: 'dev' } as CallInput['environment'],
    timeoutMs: 20_000,
    outputBytes: 1_000_000,
    inputSchema: {},
    outputSchema: null,
    signal: new AbortController().signal,
    stop: new AbortController().signal,
    secrets: new SecretSource('/nowhere', 'dev', {}),
    begin,
    log: new CallLog(undefined, '', 1),
    files: callFiles(),
    outputFiles: undefined,
  };
  return callApi(implementation, input, { limiter: limiter as RateLimiter });
}
const listed = () => [`127.0.0.1:${service.port}`];

test('a call leaves its mark once, before its first request, even if that is redirected', async () => {
  service.on('/from', send(307, 'text/plain', '', { location: `${service.origin}/to` }));
  service.on('/to', send(200, 'application/json', '{"done":true}'));
  const seen: number[] = [];
  const begin = async () => void seen.push(service.requestsOf('/from').length);
  expect(await call('/from', listed(), begin)).toEqual({ done: true });
  expect(seen).toEqual([0]);
});

test('a call whose mark cannot be left sends nothing', async () => {
  const full = new Error('no room for a mark');
  await expect(call('/unsent', listed(), () => Promise.reject(full))).rejects.toBe(full);
  expect(service.requestsOf('/unsent')).toEqual([]);
});

test('a call that the policy refuses leaves no mark', async () => {
  await expect(call('/refused', [])).rejects.toMatchObject({ code: 'denied.host' });
  expect(begun).toBe(0);
});

test('a call that must wait longer than its time-out sends nothing', async () => {
  const limited = new Error('limited');
  const limiter = { take: () => Promise.reject(limited) };
  await expect(call('/limited', listed(), undefined, limiter)).rejects.toBe(limited);
  expect([begun, service.requestsOf('/limited')]).toEqual([0, []]);
});
