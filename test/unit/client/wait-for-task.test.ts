import { expect, test } from 'vitest';
import type { Session } from '../../../src/client/connect.js';
import { waitForTask } from '../../../src/client/wait-for-task.js';

/** A session with a task that runs on and on, whose pending workflow task is at the given attempt. */
function sessionAt(attempt: number): Session {
  const never = new AbortController();
  const handle = {
    result: () => new Promise((_, reject) => never.signal.addEventListener('abort', () => reject(new Error('gone')))),
    query: async () => ({ status: 'running', progress: {}, approvals: [], links: {} }),
    describe: async () => ({ raw: { pendingWorkflowTask: { attempt } } }),
  };
  const temporal = {
    workflow: { getHandle: () => handle },
    withDeadline: (_: number, action: () => unknown) => action(),
    withAbortSignal(signal: AbortSignal, action: () => unknown) {
      signal.addEventListener('abort', () => never.abort());
      return action();
    },
  };
  return { temporal, ui: null, namespace: 'default' } as unknown as Session;
}

test('engine.stuck is told after three failed workflow tasks: the fourth is being tried', async () => {
  await expect(waitForTask(sessionAt(4), 'x', { timeoutMs: 4000 })).rejects.toMatchObject({
    code: 'engine.stuck',
    message: expect.stringMatching(/failed 3 times in a row/),
  });
});

test('two failures are not enough', async () => {
  expect(await waitForTask(sessionAt(3), 'x', { timeoutMs: 2500 })).toMatchObject({ kind: 'timeout' });
});
