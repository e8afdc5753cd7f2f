import { CancelledFailure } from '@temporalio/activity';
import type { MockActivityEnvironment } from '@temporalio/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import {
  type Attempt,
  beginAttempt,
  cancelledBy,
  isSettled,
  limited,
  masked,
  whileBeating,
} from '../../../../src/activities/call/attempt.js';
import { CallFailure } from '../../../../src/activities/call/call-failure.js';
import { CallLog } from '../../../../src/activities/call/call-log.js';
import { ACTIVITY_LIMITS, TIMEOUT_MARGIN_MS } from '../../../../src/contracts/names.js';
import type { PlanOperation } from '../../../../src/contracts/plan.js';
import { AbilityError } from '../../../../src/contracts/problem.js';
import { type ActivityInfo, activityEnvironment } from '../admitted-task.js';

const NOW = Date.UTC(2030, 0, 1);

beforeEach(() => {
  vi.useFakeTimers({ now: NOW });
});
afterEach(() => {
  vi.useRealTimers();
});

/** The limits that Temporal has for an attempt, in ms, a margin above ours. @param apart how far its clock is ahead. */
function limits(step: number, spent = 0, one = step, apart = 0): ActivityInfo {
  return {
    scheduledTimestampMs: NOW + apart - spent,
    currentAttemptScheduledTimestampMs: NOW + apart,
    scheduleToCloseTimeoutMs: step === 0 ? 0 : step + TIMEOUT_MARGIN_MS,
    startToCloseTimeoutMs: one === 0 ? 0 : one + TIMEOUT_MARGIN_MS,
  };
}

/** Runs one attempt with a limit of a minute; @returns its result, and the details of its heartbeats. */
async function attempted<T>(
  info: ActivityInfo,
  use: (attempt: Attempt, environment: MockActivityEnvironment) => T,
  { implementationMs = 60_000, isOnce = false } = {},
) {
  const environment = activityEnvironment({ ...limits(60_000), ...info });
  const beats: unknown[] = [];
  environment.on('heartbeat', (details) => beats.push(details));
  const given = await environment.run(() =>
    whileBeating(environment.context, async () => {
      const attempt = beginAttempt(environment.context, implementationMs, isOnce);
      try {
        return await use(attempt, environment);
      } finally {
        attempt.end();
      }
    }),
  );
  return { given, beats };
}

test.each([
  ['what its implementation may', 1000, 60_000, 0, 1000, false],
  ['what its step may', 60_000, 1000, 0, 1000, true],
  ['what both may', 1000, 1000, 0, 1000, false],
  ['what earlier attempts have left of the step', 60_000, 10_000, 9000, 1000, true],
  ['nothing where they have left nothing', 60_000, 10_000, 20_000, 0, true],
])('an attempt may take %s', async (_, implementationMs, stepMs, spentMs, leftMs, limitedByStep) => {
  const { given } = await attempted(limits(stepMs, spentMs), (attempt) => ({ ...attempt }), { implementationMs });
  expect(given).toMatchObject({ leftMs, limitedByStep });
});

test.each([-90_000, 62_000, 3 * 3_600_000])(
  'an attempt has what is left of its step where the clock of the server is %d ms ahead',
  async (apart) => {
    const { given } = await attempted(limits(10_000, 4000, 10_000, apart), ({ leftMs }) => leftMs);
    expect(given).toBe(6000);
  },
);

test.each([
  ['of one attempt', { startToCloseTimeoutMs: 2000 + TIMEOUT_MARGIN_MS }, 2000],
  ['of the step alone, where one attempt has none', { startToCloseTimeoutMs: 0 }, 60_000],
  ['of one attempt alone, where the step has none', { scheduleToCloseTimeoutMs: 0 }, 60_000],
])('an attempt has the limit %s', async (_, info, leftMs) => {
  const { given } = await attempted(info, (attempt) => attempt.leftMs, { implementationMs: 600_000 });
  expect(given).toBe(leftMs);
});

test('an attempt whose time is up is stopped, but not cancelled', async () => {
  await attempted(
    {},
    ({ stop, signal }) => {
      vi.advanceTimersByTime(999);
      expect(stop.aborted).toBe(false);
      vi.advanceTimersByTime(1);
      expect([stop.aborted, signal.aborted]).toEqual([true, false]);
    },
    { implementationMs: 1000 },
  );
});

describe('cancellation', () => {
  const cancelled = async (reason: 'CANCELLED' | 'WORKER_SHUTDOWN', isOnce: boolean) => {
    const { given } = await attempted(
      {},
      async ({ stop, signal }, environment) => {
        environment.cancel(reason);
        await vi.advanceTimersByTimeAsync(0);
        return [stop.aborted, signal.aborted];
      },
      { isOnce },
    );
    return given;
  };

  test.each([
    ['a request to cancel', 'CANCELLED', false, true],
    ['a request to cancel a call that may not be repeated', 'CANCELLED', true, true],
    ['the shutdown of its worker', 'WORKER_SHUTDOWN', false, true],
    ['no shutdown where the call may not be repeated', 'WORKER_SHUTDOWN', true, false],
  ] as const)('%s stops an attempt', async (_, reason, isOnce, stops) => {
    expect(await cancelled(reason, isOnce)).toEqual([stops, stops]);
  });
});

test.each<[string, ActivityInfo, boolean, boolean]>([
  ['is the first one', {}, true, false],
  ['follows one that left nothing', { attempt: 2 }, true, true],
  ['follows one that left its number', { attempt: 2, heartbeatDetails: { attempt: 1 } }, true, false],
  ['follows one that left nothing, after one that did', { attempt: 3, heartbeatDetails: { attempt: 1 } }, true, true],
  ['may be repeated', { attempt: 2 }, false, false],
])('the attempt before was lost, or not, if this one %s', async (_, info, isOnce, lostBefore) => {
  const { given } = await attempted(info, (attempt) => attempt.lostBefore, { isOnce });
  expect(given).toBe(lostBefore);
});

describe('heartbeats', () => {
  const EVERY = ACTIVITY_LIMITS.heartbeat / 4;
  const wait = (ms: number) => () => {
    vi.advanceTimersByTime(ms);
  };

  test('are sent four times per heartbeat timeout, with the details of earlier attempts', async () => {
    const { beats } = await attempted({ heartbeatDetails: { unclear: true } }, wait(EVERY * 2));
    expect(beats).toEqual([{ unclear: true }, { unclear: true }]);
  });

  test.each([
    ['a short call', {}, EVERY - 1],
    ['a local activity', { isLocal: true }, EVERY * 3],
  ])('are not sent by %s', async (_, info, ms) => {
    expect((await attempted(info, wait(ms))).beats).toEqual([]);
  });

  test('tell the next attempt that an earlier one may have had its effect, or has had it', async () => {
    const first = await attempted({}, (attempt) => attempt.leave({ unclear: true }));
    expect(first.beats).toEqual([{ attempt: 1, unclear: true }]);
    const second = await attempted({ attempt: 2, heartbeatDetails: first.beats[0] }, (attempt) => {
      attempt.leave({ arrived: true });
      return { ...attempt };
    });
    expect(second.given).toMatchObject({ number: 2, unclearBefore: true, arrivedBefore: false });
    const third = await attempted({ attempt: 3, heartbeatDetails: second.beats[0] }, (attempt) => ({ ...attempt }));
    expect(third.given).toMatchObject({ unclearBefore: true, arrivedBefore: true });
  });
});

describe('an error that may quote a secret', () => {
  const log = new CallLog(undefined, 'a', 1);
  log.hide('s3cret');

  test('is masked, and keeps the facts of the call', () => {
    const error = new CallFailure({ code: 'http.500', message: 'got s3cret' }, { unclear: true, hasArrived: true });
    expect(masked(error, log)).toMatchObject({
      code: 'http.500',
      message: expect.not.stringContaining('s3cret'),
      unclear: true,
      hasArrived: true,
      isFinal: false,
    });
  });

  test('is masked with its stack if it is a bug', () => {
    const mistake = masked(new TypeError('got s3cret'), log) as Error;
    expect(mistake.name).toBe('TypeError');
    expect(mistake.message).toMatch(/^got /);
    expect(mistake.message).not.toContain('s3cret');
    expect(mistake.stack).toContain('attempt.test');
    expect(mistake.stack).not.toContain('s3cret');
  });

  test.each([new CancelledFailure('cancelled'), 'a text'])('is left unchanged: %s', (error) => {
    expect(masked(error, log)).toBe(error);
  });
});

describe('a call that was cancelled', () => {
  const REASON = new CancelledFailure('CANCELLED');
  const cancelledAs = (effects: 'read' | 'destructive', error: unknown, unclearBefore = false) => {
    const attempt = { unclearBefore, signal: AbortSignal.abort(REASON) } as Attempt;
    return cancelledBy(attempt, error, { effects } as PlanOperation);
  };
  const failed = (unclear: boolean) => new CallFailure({ code: 'http.500', message: 'seen' }, { unclear });

  test.each<[string, 'read' | 'destructive', unknown, boolean]>([
    ['it had no effect', 'destructive', failed(false), false],
    ['its effect may be repeated', 'read', failed(true), false],
    ['its effect may be repeated, as that of an earlier attempt', 'read', failed(false), true],
  ])('ends as cancelled if %s', (_, effects, error, before) => {
    expect(cancelledAs(effects, error, before)).toBe(REASON);
  });

  test.each<[string, unknown, boolean, string]>([
    ['it may have had its effect', failed(true), false, 'seen'],
    ['an earlier attempt may have had it', failed(false), true, 'seen'],
    ['an earlier attempt may have had it, and this one gives no error of ours', REASON, true, 'had not ended clearly'],
  ])('is unknown if %s', (_, error, before, seen) => {
    expect(cancelledAs('destructive', error, before)).toMatchObject({
      type: 'outcome.unknown',
      message: expect.stringContaining(seen),
      details: [{}, { cut: true }],
    });
  });
});

describe('a call that exceeds its time limit', () => {
  const timedOut = (code: string, limitedByStep: boolean) => {
    const error = new CallFailure({ code, message: 'too slow' }, { unclear: true });
    return limited(error, { limitedByStep } as Attempt);
  };

  test('fails as its step if the limit was that of the step', () => {
    expect(timedOut('timeout.call', true)).toMatchObject({ code: 'timeout.step', unclear: true, hasArrived: false });
  });

  test.each([
    ['timeout.call', false],
    ['http.500', true],
  ])('fails with its own code otherwise: %s', (code, limitedByStep) => {
    expect(timedOut(code, limitedByStep)).toMatchObject({ code });
  });

  test('is not assumed from another error', () => {
    const error = new AbilityError({ code: 'timeout.call', message: 'elsewhere' });
    expect(limited(error, { limitedByStep: true } as Attempt)).toBe(error);
  });
});

test.each<[unknown, boolean]>([
  [new CallFailure({ code: 'script.output_invalid', message: 'm' }, { hasArrived: true }), true],
  [new CallFailure({ code: 'outcome.unknown', message: 'm' }), true],
  [new CallFailure({ code: 'http.500', message: 'm' }), false],
  [new AbilityError({ code: 'outcome.unknown', message: 'm' }), false],
])('%s is a known outcome despite a cancellation: %s', (error, settled) => {
  expect(isSettled(error)).toBe(settled);
});
