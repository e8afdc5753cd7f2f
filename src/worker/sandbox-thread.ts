// The SDK lets Node end a call into the sandbox after 5 s, and Node starts a thread with an event loop for each such call,
// of which a workflow task has five: a third of what a task costs (docs/decisions/0037-one-watch-over-the-sandbox.md).
// Here one timer watches the thread of the sandbox instead, and replaces the thread when it no longer answers.
import type { Worker as Thread } from 'node:worker_threads';
import type { Logger } from '@temporalio/common';
import { type CompiledWorkerOptions, Worker } from '@temporalio/worker';
import type { Workflow, WorkflowCreateOptions, WorkflowCreator } from '@temporalio/worker/lib/workflow/interface.js';
import type { WorkflowBundleWithSourceMapAndFilename } from '@temporalio/worker/lib/workflow/workflow-worker-thread/input.js';

/**
 * How often the thread is looked at, and after how many looks without an answer it is replaced: in the SDK's time of 5 s, so
 * that the server hears of the failure before its own 10 s for a workflow task, after which it asks again at once.
 */
const LOOK_MS = 1_000;
const MAX_SILENT = 5;

/** The class of the workers of a host, and the end of their sandbox, for when all of them have ended. */
export interface SharedSandbox {
  WorkerInIt: typeof Worker;
  end(): Promise<void>;
}

/**
 * One sandbox for all workers of a host, started with the first: each thread takes 43 MB and 0.4 s of CPU, and the main
 * thread, which does more for each workflow task, is busy before it is. They have one bundle and the same names of
 * activities, and no two serve one queue, since a run has one place in a thread.
 */
export function shareSandbox(): SharedSandbox {
  let bundle: Promise<WorkflowBundleWithSourceMapAndFilename | undefined> | undefined;
  let thread: SandboxThread | undefined;
  class WorkerInIt extends Worker {
    protected static override getOrCreateBundle(
      options: CompiledWorkerOptions,
      logger: Logger,
    ): Promise<WorkflowBundleWithSourceMapAndFilename | undefined> {
      bundle ??= Worker.getOrCreateBundle(options, logger);
      return bundle;
    }

    protected static override async createWorkflowCreator(
      read: WorkflowBundleWithSourceMapAndFilename,
      options: CompiledWorkerOptions,
      logger: Logger,
    ): Promise<WorkflowCreator> {
      const unlimited = { ...options, isolateExecutionTimeoutMs: undefined as unknown as number };
      thread ??= new SandboxThread(() => Worker.createWorkflowCreator(read, unlimited, logger), logger);
      const shared = thread;
      await shared.started;
      return { createWorkflow: (created) => shared.createWorkflow(created), destroy: async () => {} };
    }
  }
  return { WorkerInIt, end: async () => thread?.destroy() };
}

/** A request that the thread has not answered. */
interface Request {
  workflowId: string;
  reject(error: Error): void;
}

/** Workflows of the workers of a host, in one thread at a time. */
export class SandboxThread implements WorkflowCreator {
  /** The creator of the present thread. */
  started: Promise<WorkflowCreator>;
  /** Oldest first: the thread answers them in this order. */
  private readonly waiting = new Set<Request>();
  /** Looks since the last answer. */
  private silent = 0;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly start: () => Promise<WorkflowCreator>,
    private readonly logger: Logger,
  ) {
    this.started = start();
    this.timer = setInterval(() => this.look(), LOOK_MS).unref();
  }

  async createWorkflow(options: WorkflowCreateOptions): Promise<Workflow> {
    const { workflowId } = options.info;
    const thread = this.started;
    const creator = await thread;
    // What a replaced thread held is evicted by the failure of its next activation, and begins anew from its history.
    const isHere = (): boolean => this.started === thread;
    if (!isHere()) return this.createWorkflow(options);
    const workflow = await this.answered(workflowId, creator.createWorkflow(options));
    return {
      activate: (activation) =>
        isHere()
          ? this.answered(workflowId, workflow.activate(activation))
          : Promise.reject(new Error('The thread of this workflow was replaced')),
      getAndResetSinkCalls: async () => (isHere() ? this.answered(workflowId, workflow.getAndResetSinkCalls()) : []),
      dispose: async () => (isHere() ? this.answered(workflowId, workflow.dispose()) : undefined),
    };
  }

  async destroy(): Promise<void> {
    clearInterval(this.timer);
    // One that did not start has failed the start of its workers.
    const creator = await this.started.catch(() => undefined);
    if (creator) await endThread(creator);
  }

  private answered<T>(workflowId: string, answer: Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const request = { workflowId, reject };
      this.waiting.add(request);
      answer.then(resolve, reject).finally(() => {
        this.waiting.delete(request);
        this.silent = 0;
      });
    });
  }

  /** Counts looks rather than time, so that a process that was stopped for a while blames no one. */
  private look(): void {
    this.silent = this.waiting.size === 0 ? 0 : this.silent + 1;
    if (this.silent >= MAX_SILENT) this.replace();
  }

  private replace(): void {
    const [oldest, ...others] = this.waiting;
    if (!oldest) return;
    this.waiting.clear();
    this.silent = 0;
    const seconds = (MAX_SILENT * LOOK_MS) / 1000;
    const message = `The workflow ${oldest.workflowId} computed for ${seconds} s without an end; its thread is replaced`;
    this.logger.error(message);
    const stuck = this.started;
    this.started = stuck.then(async (creator) => {
      await endThread(creator);
      return this.start();
    });
    oldest.reject(new Error(message));
    for (const { reject } of others)
      reject(new Error(`The thread of this workflow is replaced: ${oldest.workflowId} held it`));
  }
}

/** The SDK asks a thread to end, which one that computes never hears; it shows the thread to subclasses alone. */
async function endThread(creator: WorkflowCreator): Promise<void> {
  const { workerThreadClients } = creator as unknown as { workerThreadClients: { workerThread: Thread }[] };
  await Promise.all(workerThreadClients.map(({ workerThread }) => workerThread.terminate()));
}
