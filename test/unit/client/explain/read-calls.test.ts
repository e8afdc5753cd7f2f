import { expect, test } from 'vitest';
import type { HistoryEvent } from '../../../../src/client/connection/history-events.js';
import { readCalls } from '../../../../src/client/explain/read-calls.js';

/** Events as Temporal returns them, with the parts that are read; a summary is its text. */
const events = (...list: object[]): HistoryEvent[] =>
  list.map((event, index) => ({ eventId: index + 1, eventTime: { seconds: 100 + index }, ...event }) as never);
const scheduled = (type: string, summary?: string, activityId = '1') => ({
  activityTaskScheduledEventAttributes: { activityType: { name: type }, activityId },
  ...(summary !== undefined && { userMetadata: { summary } }),
});
const started = (scheduledEventId: number, attempt = 1, lastFailure: object | null = null) => ({
  activityTaskStartedEventAttributes: { scheduledEventId, attempt, lastFailure, identity: '7@host' },
});
const ours = (type: string, message: string) => ({ message, applicationFailureInfo: { type } });
const timeout = (timeoutType: number) => ({ message: 'activity timeout', timeoutFailureInfo: { timeoutType } });
const second = (n: number) => new Date((100 + n) * 1000).toISOString();
const read = (list: HistoryEvent[], pending: object[] = []) =>
  readCalls(list, pending as never, async (payload) => payload as unknown as string | undefined);

test('a call that was retried has its last attempt, and the error of the one before it', async () => {
  const list = events(scheduled('db.read', 'a/b'), started(1, 3, ours('http.503', 'down')), {
    activityTaskCompletedEventAttributes: { scheduledEventId: 1 },
  });
  expect(await read(list)).toEqual([
    {
      path: 'a/b',
      operation: 'db.read',
      scheduled_at: second(0),
      attempt: 3,
      started_at: second(1),
      ended_at: second(2),
      end: 'completed',
      problem: null,
      earlier: { code: 'http.503', message: 'down' },
      starts_at: null,
      worker: '7@host',
    },
  ]);
});

test('hooks and our own activities are not calls', async () => {
  expect(await read(events(scheduled('PreAbilityCall', 'a: h'), scheduled('ability:finish')))).toEqual([]);
});

test.each([
  [{ activityTaskFailedEventAttributes: { scheduledEventId: 1, failure: ours('mine', 'no') } }, 'mine', /no/],
  [{ activityTaskTimedOutEventAttributes: { scheduledEventId: 1, failure: timeout(1) } }, 'timeout.call', /in time/],
  [{ activityTaskTimedOutEventAttributes: { scheduledEventId: 1, failure: timeout(2) } }, 'worker.unavailable', /No w/],
  [{ activityTaskTimedOutEventAttributes: { scheduledEventId: 1, failure: timeout(3) } }, 'timeout.step', /too long/],
  [{ activityTaskTimedOutEventAttributes: { scheduledEventId: 1, failure: timeout(4) } }, 'timeout.call', /was lost/],
  [
    { activityTaskFailedEventAttributes: { scheduledEventId: 1, failure: { message: 'x', cause: timeout(4) } } },
    'timeout.call',
    /was lost/,
  ],
  [
    { activityTaskFailedEventAttributes: { scheduledEventId: 1, failure: { message: 'odd' } } },
    'internal.error',
    /odd/,
  ],
])('a call that failed: %j', async (event, code, message) => {
  const [call] = await read(events(scheduled('x', 'a'), started(1), event));
  expect(call).toMatchObject({ end: 'failed', problem: { code, message: expect.stringMatching(message) } });
});

test('a call that was cancelled has no error', async () => {
  const [call] = await read(
    events(scheduled('x', 'a'), { activityTaskCanceledEventAttributes: { scheduledEventId: 1 } }),
  );
  expect(call).toMatchObject({ end: 'cancelled', attempt: 0, problem: null });
});

test('a call that waits for a retry has its next attempt, and when that starts', async () => {
  const pending = { activityId: '1', state: 1, attempt: 2, lastFailure: ours('mine', 'no') };
  const at = { nextAttemptScheduleTime: { seconds: 200 }, lastStartedTime: { seconds: 150 } };
  const [call] = await read(events(scheduled('x', 'a')), [{ ...pending, ...at }]);
  expect(call).toMatchObject({ end: null, attempt: 2, earlier: { code: 'mine' }, started_at: null });
  expect(call?.starts_at).toBe(new Date(200_000).toISOString());
});

test('a call that waits for its first worker has no known start time', async () => {
  const [call] = await read(events(scheduled('x', 'a')), [{ activityId: '1', state: 1, attempt: 1 }]);
  expect(call).toMatchObject({ attempt: 1, started_at: null, starts_at: null });
});

test('ids that start again with each run of a task are not mixed up', async () => {
  const first = events(scheduled('x', 'a'), started(1), {
    activityTaskCompletedEventAttributes: { scheduledEventId: 1 },
  });
  const next = events(scheduled('y', 'b'), started(1));
  const calls = await read(
    [...first, ...next],
    [{ activityId: '1', state: 2, attempt: 1, lastStartedTime: { seconds: 9 } }],
  );
  expect(calls).toMatchObject([
    { path: 'a', end: 'completed' },
    { path: 'b', end: null },
  ]);
});
