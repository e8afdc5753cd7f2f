import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { Worker as Thread } from 'node:worker_threads';
import type { Logger } from '@temporalio/common';
import type { WorkflowCreator } from '@temporalio/worker/lib/workflow/interface.js';
import type * as ThreadedVm from '@temporalio/worker/lib/workflow/threaded-vm.js';

const require = createRequire(import.meta.url);

/** How long a thread without a worker waits for the next one. */
const IDLE_MS = 30_000;

/** What a thread is asked for. */
export interface ThreadNeeds extends Omit<ThreadedVm.ThreadedVMWorkflowCreatorOptions, 'threadPoolSize' | 'logger'> {
  logger: Logger;
  /** Says which workflows it executes, with those of equal text only: the same code, and the same activities. */
  code: string;
  /** The queue; two workers of one queue may have the same run, and so do not share a thread. */
  queue: string;
}

/** A thread that executes workflows, for one worker or several. */
interface Shared {
  code: string;
  thread: Thread;
  client: ThreadedVm.WorkerThreadClient;
  /** Queues of the workers that use it. */
  queues: Set<string>;
  ready: Promise<unknown>;
  idle?: NodeJS.Timeout;
}

const threads = new Set<Shared>();

/** Path of the SDK's thread as one small file, or undefined where the installed SDK is another than the one it was built from. */
export function findThread(version: string = sdkVersion()): string | undefined {
  const file = fileURLToPath(new URL(`../../dist/workflow-thread-${version}.cjs`, import.meta.url));
  return existsSync(file) ? file : undefined;
}

function sdkVersion(): string {
  return (require('@temporalio/worker/package.json') as { version: string }).version;
}

/**
 * Gives a worker a thread for its workflows: one that waits, one more while there are fewer than processors, or the one
 * with the fewest workers. Once its last worker is gone, a thread is kept a while for the next.
 *
 * @param file what {@link findThread} found: the SDK is then the one whose parts are used here.
 */
export async function takeThread(file: string, needs: ThreadNeeds): Promise<WorkflowCreator> {
  const shared = choose(needs) ?? start(file, needs);
  clearTimeout(shared.idle);
  shared.thread.ref();
  shared.queues.add(needs.queue);
  try {
    await shared.ready;
  } catch (error) {
    await end(shared);
    throw error;
  }
  const { VMWorkflowThreadProxy } = threadedVm();
  return {
    createWorkflow: (options) => VMWorkflowThreadProxy.create(shared.client, options),
    destroy: () => release(shared, needs.queue),
  };
}

/** The queues that each thread of this process executes workflows for; none for one that waits. */
export function listThreads(): string[][] {
  return [...threads].map(({ queues }) => [...queues]);
}

function threadedVm(): typeof ThreadedVm {
  return require('@temporalio/worker/lib/workflow/threaded-vm.js') as typeof ThreadedVm;
}

function choose({ code, queue }: ThreadNeeds): Shared | undefined {
  const alike = [...threads].filter((shared) => shared.code === code);
  const idle = alike.find(({ queues }) => queues.size === 0);
  if (idle || alike.length < availableParallelism()) return idle;
  const open = alike.filter(({ queues }) => !queues.has(queue));
  return open.sort((a, b) => a.queues.size - b.queues.size)[0];
}

function start(file: string, { code, queue: _queue, logger, registeredActivityNames, ...init }: ThreadNeeds) {
  const thread = new Thread(file);
  const client = new (threadedVm().WorkerThreadClient)(thread, logger);
  const shared: Shared = {
    code,
    thread,
    client,
    queues: new Set(),
    ready: client.send({ type: 'init', ...init, registeredActivityNames, hasPatchActivationCallback: false }),
  };
  threads.add(shared);
  thread.once('exit', () => threads.delete(shared));
  return shared;
}

/** A worker disposes of its workflows before it ends; a thread with some left is not given to another. */
async function release(shared: Shared, queue: string): Promise<void> {
  shared.queues.delete(queue);
  if (shared.queues.size > 0) return;
  if (shared.client.getActiveWorkflowCount() > 0) return end(shared);
  shared.thread.unref();
  shared.idle = setTimeout(() => void end(shared), IDLE_MS).unref();
}

async function end(shared: Shared): Promise<void> {
  threads.delete(shared);
  clearTimeout(shared.idle);
  await shared.client.destroy();
}
