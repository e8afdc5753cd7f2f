import { setImmediate } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { RateLimiter } from '../../../../../src/kinds/api/call/rate-limit.js';

const MINUTE = 60_000;
const DAY = 86_400_000;
const CALL = { timeoutMs: 1000, stop: new AbortController().signal };

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2030, 0, 1), toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const limited = { code: 'unavailable.rate_limited' };
const later = (ms: number) => vi.setSystemTime(Date.now() + ms);

test('without limits all calls proceed', async () => {
  const limiter = new RateLimiter();
  for (let i = 0; i < 5; i += 1) await limiter.take('i', null, CALL);
});

test.each([
  ['minute', { per_minute: 2 }, MINUTE],
  ['day', { per_day: 2 }, DAY],
])('as many calls as a limit allows proceed within a %s, and no more', async (_, limits, window) => {
  const limiter = new RateLimiter();
  await limiter.take('i', limits, CALL);
  later(5000);
  await limiter.take('i', limits, CALL);
  await expect(limiter.take('i', limits, CALL)).rejects.toMatchObject(limited);
  later(window - 5000 - CALL.timeoutMs - 1);
  await expect(limiter.take('i', limits, CALL)).rejects.toMatchObject(limited);
  later(CALL.timeoutMs + 1);
  await limiter.take('i', limits, CALL);
  await expect(limiter.take('i', limits, CALL)).rejects.toMatchObject(limited);
});

test('the stricter of two limits applies', async () => {
  const limiter = new RateLimiter();
  const limits = { per_minute: 1, per_day: 2 };
  await limiter.take('i', limits, CALL);
  await expect(limiter.take('i', limits, CALL)).rejects.toMatchObject({
    message: expect.stringContaining('again in 60 s'),
  });
  later(MINUTE);
  await limiter.take('i', limits, CALL);
  later(MINUTE);
  await expect(limiter.take('i', limits, CALL)).rejects.toMatchObject({
    message: expect.stringContaining(`again in ${(DAY - 2 * MINUTE) / 1000} s`),
  });
});

test('a call waits for a slot that becomes free exactly at its time-out', async () => {
  const limiter = new RateLimiter();
  await limiter.take('i', { per_minute: 1 }, CALL);
  later(MINUTE - 5);
  const exact = { ...CALL, timeoutMs: 5 };
  const taken = limiter.take('i', { per_minute: 1 }, exact);
  later(5);
  await taken;
});

test('implementations are counted separately', async () => {
  const limiter = new RateLimiter();
  await limiter.take('one', { per_minute: 1 }, CALL);
  await limiter.take('other', { per_minute: 1 }, CALL);
});

test('a call waits if its turn comes within its time-out, and only until it is stopped', async () => {
  const limiter = new RateLimiter();
  const controller = new AbortController();
  const patient = { timeoutMs: 2 * MINUTE, stop: controller.signal };
  await limiter.take('i', { per_minute: 1 }, patient);
  const outcome: unknown[] = [];
  const waiting = limiter.take('i', { per_minute: 1 }, patient).catch((error: unknown) => outcome.push(error));
  await setImmediate();
  expect(outcome).toEqual([]);
  controller.abort();
  await waiting;
  expect(outcome).toEqual([expect.objectContaining(limited)]);
});
