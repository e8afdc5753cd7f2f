import { ActivityFailure, ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { beforeEach, expect, test, vi } from 'vitest';
import { entersCalls, inSession } from '../../../../src/workflows/calls/enter-call.js';
import { untilKeyed } from '../../../../src/workflows/calls/local-activities.js';
import { StepFailure } from '../../../../src/workflows/steps/step-failure.js';

const temporal = vi.hoisted(() => ({
  ends: [] as { call_id: string; status: string }[],
  failures: [] as Error[],
  slept: [] as number[],
}));

vi.mock('@temporalio/workflow', async (original) => ({
  ...(await original<object>()),
  CancellationScope: { nonCancellable: (work: () => Promise<unknown>) => work() },
  uuid4: () => 'id-1',
  sleep: async (ms: number) => void temporal.slept.push(ms),
  proxyLocalActivities: () =>
    new Proxy(
      {},
      {
        get: () => async (request: { call_id: string; status: string }) => {
          const failure = temporal.failures.shift();
          if (failure) throw failure;
          temporal.ends.push(request);
        },
      },
    ),
}));

beforeEach(() => {
  for (const list of [temporal.ends, temporal.failures, temporal.slept]) list.length = 0;
});

const run = () => ({
  task: { context: { seal: 's' } },
  life: { pendingWork: 0 },
  warnings: {
    all: [] as string[],
    add(text: string) {
      this.all.push(text);
    },
  },
});

const failed = (code: string) => new StepFailure({ code, message: 'm' });
const forAnother = () => {
  const cause = ApplicationFailure.create({
    type: 'seal.unknown_key',
    message: 'm',
    details: [{ code: 'seal.unknown_key', message: 'm' }, {}],
  });
  return new ActivityFailure('failed', 'a', '1', 'NON_RETRYABLE_FAILURE', 'w', cause);
};

test.each([
  [true, 's-1', true],
  [true, null, false],
  [undefined, 's-1', false],
])(
  'calls are entered if the plan requires it (%s) and there is a session (%s): %s',
  (session_calls, session, enters) => {
    expect(entersCalls({ plan: { session_calls }, start: { session } } as never)).toBe(enters);
  },
);

test('a session learns that a call succeeded before its output is returned', async () => {
  const task = run();
  expect(await inSession(task as never, async ({ id }) => `output of ${id}`)).toBe('output of id-1');
  expect(temporal.ends).toEqual([{ seal: 's', call_id: 'id-1', status: 'succeeded' }]);
  expect([task.life.pendingWork, task.warnings.all]).toEqual([0, []]);
});

test.each<[string, boolean, Error, string]>([
  ['that failed after it was made', true, failed('script.exit'), 'failed'],
  ['that was refused by its guards', false, failed('guard.denied'), 'denied'],
  ['that was cancelled at work', true, new CancelledFailure('c'), 'cancelled'],
  ['that was cancelled before it was made', false, new CancelledFailure('c'), 'denied'],
])('a session learns of a call %s, and the error is passed on', async (_, isMade, error, status) => {
  const call = inSession(run() as never, (entered) => {
    entered.isMade = isMade;
    return Promise.reject(error);
  });
  await expect(call).rejects.toBe(error);
  expect(temporal.ends).toMatchObject([{ status }]);
});

test('a session that cannot be informed causes a warning, and the call ends as before', async () => {
  const task = run();
  temporal.failures.push(new Error('no session'));
  expect(await inSession(task as never, async () => 1)).toBe(1);
  expect(task.warnings.all).toEqual(['The session did not learn how a call ended (succeeded): no session']);
  expect(task.life.pendingWork).toBe(0);
});

test('the report waits for a worker that has the key of the seal', async () => {
  temporal.failures.push(forAnother(), forAnother());
  await inSession(run() as never, async () => 1);
  expect(temporal.slept).toEqual([10_000, 20_000]);
  expect(temporal.ends).toHaveLength(1);
});

test('the report is given up after five minutes without such a worker', async () => {
  const task = run();
  temporal.failures.push(...Array.from({ length: 9 }, forAnother));
  expect(await inSession(task as never, async () => 1)).toBe(1);
  expect(temporal.slept).toEqual([10_000, 20_000, 40_000, 80_000, 160_000]);
  expect(task.warnings.all).toEqual(['The session did not learn how a call ended (succeeded): m']);
});

test('a request that the task needs is repeated without end, every five minutes at last', async () => {
  temporal.failures.push(...Array.from({ length: 9 }, forAnother));
  const ask = vi.fn(async () => {
    const failure = temporal.failures.shift();
    if (failure) throw failure;
    return 'answer';
  });
  expect(await untilKeyed(ask)).toBe('answer');
  expect(temporal.slept.slice(4)).toEqual([160_000, 300_000, 300_000, 300_000, 300_000]);
});
