import { expect, test } from 'vitest';
import type { Connection } from '../../../../src/client/connection/connect.js';
import { waitForTask } from '../../../../src/client/watch/wait-for-task.js';

/** A session with a task that never ends, whose pending workflow task is at this attempt. */
function sessionAt(attempt: number, reason?: string, isTimeout = false, cause = 14, later = 0): Connection {
  const never = new AbortController();
  const handle = {
    result: () => new Promise((_, reject) => never.signal.addEventListener('abort', () => reject(new Error('gone')))),
    query: async () => ({ status: 'running', progress: {}, approvals: [], links: {} }),
    describe: async () => ({ raw: { pendingWorkflowTask: { attempt } } }),
  };
  const failure = { message: 'It is not there', applicationFailureInfo: { type: reason } };
  const ended = isTimeout
    ? { workflowTaskTimedOutEventAttributes: {} }
    : { workflowTaskFailedEventAttributes: { failure, cause } };
  const events = [...Array(later).fill({ workflowExecutionSignaledEventAttributes: {} }), ended];
  const page = ({ nextPageToken }: { nextPageToken?: Uint8Array }) => {
    const from = nextPageToken?.[0] ?? 0;
    const rest = events.length > from + 100 ? Uint8Array.of(from + 100) : new Uint8Array();
    return { history: { events: events.slice(from, from + 100) }, nextPageToken: rest };
  };
  const temporal = {
    options: { namespace: 'default' },
    workflowService: { getWorkflowExecutionHistoryReverse: async (request: object) => page(request) },
    workflow: { getHandle: () => handle },
    withDeadline: (_: number, action: () => unknown) => action(),
    withAbortSignal(signal: AbortSignal, action: () => unknown) {
      signal.addEventListener('abort', () => never.abort());
      return action();
    },
  };
  return { temporal, ui: null, namespace: 'default' } as unknown as Connection;
}

test.concurrent('engine.stuck is reported after three failed workflow tasks: the fourth is being tried', async () => {
  await expect(waitForTask(sessionAt(4), 'x', { timeoutMs: 4000 })).rejects.toMatchObject({
    code: 'engine.stuck',
    message: expect.stringMatching(/failed 3 times in a row/),
  });
});

test.concurrent.each(['store.not_shared', 'store.full'])(
  'if the worker states the reason, %s is reported instead',
  async (code) => {
    await expect(waitForTask(sessionAt(4, code), 'x', { timeoutMs: 4000 })).rejects.toMatchObject({
      code,
      message: expect.stringMatching(/failed 3 times in a row .*It is not there$/),
      suggestion: expect.stringContaining('ABILITY_STORE'),
    });
  },
);

test.concurrent('an error that is not one of ours is engine.stuck', async () => {
  const error = waitForTask(sessionAt(4, 'TypeError'), 'x', { timeoutMs: 4000 });
  await expect(error).rejects.toMatchObject({
    code: 'engine.stuck',
    message: expect.stringMatching(/failed 3 times in a row .*: It is not there$/),
  });
});

test.concurrent('two failures are not enough', async () => {
  expect(await waitForTask(sessionAt(3), 'x', { timeoutMs: 2500 })).toMatchObject({ kind: 'timeout' });
});

test.concurrent('workers that are killed during a workflow task do not count as failures of the code', async () => {
  expect(await waitForTask(sessionAt(10, undefined, true), 'x', { timeoutMs: 2500 })).toMatchObject({
    kind: 'timeout',
  });
});

test.concurrent('signals after a worker was killed do not hide this', async () => {
  const error = waitForTask(sessionAt(5, undefined, true, 14, 150), 'x', { timeoutMs: 2500 });
  expect(await error).toMatchObject({ kind: 'timeout' });
});

test.concurrent('signals during the end of a workflow task do not count as failures of the code', async () => {
  const UNHANDLED_COMMAND = 1;
  expect(await waitForTask(sessionAt(5, undefined, false, UNHANDLED_COMMAND), 'x', { timeoutMs: 2500 })).toMatchObject({
    kind: 'timeout',
  });
});

test.concurrent('workers that are killed ten times in a row count as a failure of the code', async () => {
  const error = waitForTask(sessionAt(11, undefined, true), 'x', { timeoutMs: 4000 });
  await expect(error).rejects.toMatchObject({ code: 'engine.stuck' });
});

test.concurrent('the query of an ended task has no output, and is not the result of a wait that timed out', async () => {
  const connection = sessionAt(1);
  const handle = connection.temporal.workflow.getHandle('x');
  const seen: string[] = [];
  const views = [
    { status: 'running', step: 1 },
    { status: 'succeeded', output: null },
  ];
  Object.assign(handle, {
    query: async () => ({ progress: {}, approvals: [], links: {}, ...(views.shift() ?? { status: 'succeeded' }) }),
  });
  const end = await waitForTask(connection, 'x', {
    timeoutMs: 1000,
    onProgress: ({ status }) => void seen.push(status),
  });
  expect(end).toMatchObject({ kind: 'timeout', result: { status: 'running' } });
  expect(seen).toEqual(['running']);
  expect(views).toEqual([]);
});

test.concurrent('calls that never settle do not prolong a wait, and a signal that has fired ends one at once', async () => {
  const never = (): Promise<never> => new Promise(() => {});
  const temporal = {
    workflow: { getHandle: () => ({ result: never, query: never, describe: never }) },
    withDeadline: (_: number, action: () => unknown) => action(),
    withAbortSignal: (_: AbortSignal, action: () => unknown) => action(),
  };
  const connection = { temporal, ui: null, namespace: 'default' } as unknown as Connection;
  const began = performance.now();
  expect(await waitForTask(connection, 'x', { timeoutMs: 2000 })).toMatchObject({ kind: 'timeout' });
  expect(performance.now() - began).toBeLessThan(4000);
  const aborted = await waitForTask(connection, 'x', { timeoutMs: 60_000, signal: AbortSignal.abort() });
  expect(aborted).toMatchObject({ kind: 'aborted' });
});
