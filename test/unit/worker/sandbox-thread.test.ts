import type { Workflow, WorkflowCreateOptions, WorkflowCreator } from '@temporalio/worker/lib/workflow/interface.js';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { SandboxThread } from '../../../src/worker/sandbox-thread.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const logged: string[] = [];
const logger = { error: (message: string) => void logged.push(message) } as never;
const optionsOf = (workflowId: string): WorkflowCreateOptions => ({ info: { workflowId } }) as never;
const failure = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => new Error('none'),
    (error) => error,
  );

/** Threads whose workflows answer, but for `slow` and for `stuck`, which holds its thread. */
function threads() {
  const made: { terminated: boolean }[] = [];
  const start = async (): Promise<WorkflowCreator> => {
    const thread = { terminated: false };
    made.push(thread);
    let isHeld = false;
    const answer = <T>(value: T): Promise<T> => (isHeld ? new Promise(() => {}) : Promise.resolve(value));
    const workflow = (id: string): Workflow => ({
      activate: () => {
        isHeld ||= id === 'stuck';
        return id === 'slow' ? new Promise(() => {}) : answer({ runId: id });
      },
      getAndResetSinkCalls: async () => [],
      dispose: async () => {},
    });
    const terminate = async (): Promise<void> => {
      thread.terminated = true;
    };
    return {
      createWorkflow: ({ info }: WorkflowCreateOptions) => answer(workflow(info.workflowId)),
      destroy: async () => {},
      workerThreadClients: [{ workerThread: { terminate } }],
    } as WorkflowCreator;
  };
  return { made, sandbox: new SandboxThread(start, logger) };
}

test('a workflow that computes without an end fails its workflow task after five seconds, and the thread is replaced', async () => {
  const { made, sandbox } = threads();
  const stuck = await sandbox.createWorkflow(optionsOf('stuck'));
  const other = await sandbox.createWorkflow(optionsOf('other'));
  const failed = failure(stuck.activate({}));
  await vi.advanceTimersByTimeAsync(4_000);
  expect(made).toEqual([{ terminated: false }]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect((await failed).message).toBe('The workflow stuck computed for 5 s without an end; its thread is replaced');
  expect(logged).toEqual([(await failed).message]);
  expect(made).toEqual([{ terminated: true }, { terminated: false }]);
  // What the SDK does next with both: take their calls to sinks, let them go, and make them anew from their histories.
  expect(await stuck.getAndResetSinkCalls()).toEqual([]);
  expect((await failure(other.activate({}))).message).toBe('The thread of this workflow was replaced');
  await other.dispose();
  const anew = await sandbox.createWorkflow(optionsOf('other'));
  expect(await anew.activate({})).toEqual({ runId: 'other' });
  // Also if it computes again.
  void (await sandbox.createWorkflow(optionsOf('stuck'))).activate({}).catch(() => {});
  await sandbox.destroy();
  expect(made).toEqual([{ terminated: true }, { terminated: true }]);
});

test('one that begins meanwhile does so in the new thread, and fails no workflow task', async () => {
  const { made, sandbox } = threads();
  const stuck = await sandbox.createWorkflow(optionsOf('stuck'));
  const failed = failure(stuck.activate({}));
  const other = sandbox.createWorkflow(optionsOf('other'));
  await vi.advanceTimersByTimeAsync(5_000);
  expect((await failed).message).toContain('computed for 5 s');
  expect(await (await other).activate({})).toEqual({ runId: 'other' });
  await sandbox.destroy();
  expect(made).toEqual([{ terminated: true }, { terminated: true }]);
});

test('a process that was stopped for an hour, or has nothing to wait for, blames no workflow', async () => {
  const { made, sandbox } = threads();
  const slow = await sandbox.createWorkflow(optionsOf('slow'));
  await vi.advanceTimersByTimeAsync(60_000);
  void slow.activate({}).catch(() => {});
  await vi.advanceTimersByTimeAsync(2_000);
  vi.setSystemTime(Date.now() + 3_600_000);
  await vi.advanceTimersByTimeAsync(2_000);
  // Answers of others show that the thread works.
  await (await sandbox.createWorkflow(optionsOf('other'))).activate({});
  await vi.advanceTimersByTimeAsync(4_000);
  expect(made).toEqual([{ terminated: false }]);
  await sandbox.destroy();
});
