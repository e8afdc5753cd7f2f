import type { Context } from '@temporalio/activity';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { beginAttempt } from '../../../src/activities/attempt.js';
import { TIMEOUT_MARGIN_MS } from '../../../src/contracts/names.js';

const NOW = Date.UTC(2030, 0, 1);

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

/** What Temporal says of an attempt. Milliseconds; Temporal's own limits stand a margin behind ours. */
function contextOf(step: number, spent: number, one = step): Context {
  const info = {
    attempt: 1,
    isLocal: true,
    scheduledTimestampMs: NOW - spent,
    scheduleToCloseTimeoutMs: step === 0 ? 0 : step + TIMEOUT_MARGIN_MS,
    startToCloseTimeoutMs: one === 0 ? 0 : one + TIMEOUT_MARGIN_MS,
  };
  return { info, cancelled: new Promise(() => {}) } as unknown as Context;
}

test.each([
  ['what its implementation may', 1000, 60_000, 0, 1000, false],
  ['what its step may', 60_000, 1000, 0, 1000, true],
  ['what earlier attempts have left of the step', 60_000, 10_000, 9000, 1000, true],
  ['nothing where they have left nothing', 60_000, 10_000, 20_000, 0, true],
  ['no more where the clock of the server is ahead', 60_000, 10_000, -20_000, 10_000, true],
])('an attempt may take %s', (_, implementationMs, stepMs, spentMs, leftMs, limitedByStep) => {
  const attempt = beginAttempt(contextOf(stepMs, spentMs), implementationMs, false);
  expect(attempt).toMatchObject({ leftMs, limitedByStep });
  attempt.end();
});

test('when its time is up its work is stopped, and it is not cancelled', () => {
  const attempt = beginAttempt(contextOf(60_000, 0), 1000, false);
  vi.advanceTimersByTime(999);
  expect(attempt.stop.aborted).toBe(false);
  vi.advanceTimersByTime(1);
  expect([attempt.stop.aborted, attempt.signal.aborted]).toEqual([true, false]);
  attempt.end();
});
