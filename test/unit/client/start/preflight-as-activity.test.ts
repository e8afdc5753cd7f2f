import { ActivityExecutionFailedError } from '@temporalio/client';
import { ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import { afterEach, expect, test, vi } from 'vitest';
import type { Connection } from '../../../../src/client/connection/connect.js';
import { runAsActivity } from '../../../../src/client/start/preflight-as-activity.js';
import type { TaskRequest } from '../../../../src/contracts/task.js';

const user = { name: 'tester', source: 'claimed' } as const;
const request: TaskRequest = {
  ability: 'a',
  environment: 'dev',
  input: {},
  task: 'k',
  direct: false,
  user,
  session: null,
};

afterEach(() => void vi.useRealTimers());

/** A session whose activities end with this result, and a mock that records their starts. */
function sessionWhere(result: () => Promise<unknown>): { connection: Connection; start: ReturnType<typeof vi.fn> } {
  const start = vi.fn(async () => ({ result }));
  return { connection: { project: 'p', temporal: { activity: { start } } } as unknown as Connection, start };
}

const failing = (cause: Error) => () =>
  Promise.reject(new ActivityExecutionFailedError('failed', cause, 'preflight:p:k', 'r'));
const refusal = (context: object) =>
  ApplicationFailure.create({ type: 'seal.invalid', message: 'no', details: [{ code: 'seal.invalid' }, context] });
const timeout = (type: 'SCHEDULE_TO_START' | 'START_TO_CLOSE') => new TimeoutFailure('late', undefined, type);

test('the outcome is the result of the activity, or its failure', async () => {
  const answered = sessionWhere(async () => ({ plan: 'p' }));
  expect(await runAsActivity(answered.connection, request, 'q')).toEqual({ answer: { plan: 'p' } });
  const refused = sessionWhere(failing(refusal({ request: 'd', outside: true })));
  expect(await runAsActivity(refused.connection, request, 'q')).toMatchObject({
    failure: { cause: { type: 'seal.invalid' } },
  });
  const slow = sessionWhere(failing(timeout('START_TO_CLOSE')));
  expect(await runAsActivity(slow.connection, request, 'q')).toMatchObject({ failure: { cause: { message: 'late' } } });
});

test('a worker that refuses activities outside of workflows gets no further one', async () => {
  const { connection, start } = sessionWhere(failing(refusal({ request: 'd' })));
  expect(await runAsActivity(connection, request, 'q')).toBeUndefined();
  expect(await runAsActivity(connection, request, 'q')).toBeUndefined();
  expect(start).toHaveBeenCalledOnce();
});

test('a server without support for activities outside of workflows gets no further one', async () => {
  const { connection, start } = sessionWhere(async () => ({}));
  start.mockRejectedValue(Object.assign(new Error('unknown method'), { code: 12, details: '', metadata: {} }));
  expect(await runAsActivity(connection, request, 'q')).toBeUndefined();
  expect(await runAsActivity(connection, request, 'q')).toBeUndefined();
  expect(start).toHaveBeenCalledOnce();
});

test('without a free slot for calls the preflight is a workflow, and so are the next ones for a while', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const { connection, start } = sessionWhere(failing(timeout('SCHEDULE_TO_START')));
  expect(await runAsActivity(connection, request, 'q')).toBeUndefined();
  vi.advanceTimersByTime(29_000);
  expect(await runAsActivity(connection, request, 'q')).toBeUndefined();
  expect(start).toHaveBeenCalledOnce();
  vi.advanceTimersByTime(2000);
  expect(await runAsActivity(connection, request, 'q')).toBeUndefined();
  expect(start).toHaveBeenCalledTimes(2);
});

test('any other error of the server is passed to the caller', async () => {
  const { connection, start } = sessionWhere(async () => ({}));
  const error = Object.assign(new Error('gone'), { code: 14, details: '', metadata: {} });
  start.mockRejectedValue(error);
  await expect(runAsActivity(connection, request, 'q')).rejects.toBe(error);
});
