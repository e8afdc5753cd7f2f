// biome-ignore-all lint/complexity/noThisInStatic: `super` is the SDK's worker, which asks `this` for its parts.
import { stat } from 'node:fs/promises';
import type { Logger } from '@temporalio/common';
import { type CompiledWorkerOptions, Worker } from '@temporalio/worker';
import type { WorkflowCreator } from '@temporalio/worker/lib/workflow/interface.js';
import type { WorkflowBundleWithSourceMapAndFilename as Bundle } from '@temporalio/worker/lib/workflow/workflow-worker-thread/input.js';
import { findThread, takeThread } from './workflow-threads.js';

/** The last build that was read, for all workers that start while it is kept. */
let last: { key: string; bundle: Promise<Bundle | undefined> } | undefined;
const KEPT_MS = 30_000;

/**
 * A worker that shares what the SDK gives each worker anew: the build of the workflows, read and parsed, and the thread
 * that executes them. With another version of the SDK than the one of this build it is the SDK's worker, unchanged.
 */
export class ThriftyWorker extends Worker {
  protected static override async getOrCreateBundle(
    options: CompiledWorkerOptions,
    logger: Logger,
  ): Promise<Bundle | undefined> {
    const key = await keyOf(options);
    if (key === undefined) return super.getOrCreateBundle(options, logger);
    if (last?.key !== key) {
      const entry = { key, bundle: super.getOrCreateBundle(options, logger) };
      last = entry;
      const forget = () => {
        if (last === entry) last = undefined;
      };
      entry.bundle.catch(forget);
      setTimeout(forget, KEPT_MS).unref();
    }
    return last.bundle;
  }

  protected static override async createWorkflowCreator(
    workflowBundle: Bundle,
    options: CompiledWorkerOptions,
    logger: Logger,
  ): Promise<WorkflowCreator> {
    const file = findThread();
    const key = await keyOf(options);
    const { activities, isolateExecutionTimeoutMs, reuseV8Context = true, patchActivationCallback } = options;
    if (file === undefined || key === undefined || options.debugMode || patchActivationCallback) {
      return super.createWorkflowCreator(workflowBundle, options, logger);
    }
    const names = new Set(activities.keys());
    return takeThread(file, {
      workflowBundle,
      isolateExecutionTimeoutMs,
      reuseV8Context,
      registeredActivityNames: names,
      logger,
      code: JSON.stringify([key, isolateExecutionTimeoutMs, reuseV8Context, [...names].sort()]),
      queue: `${options.namespace}/${options.taskQueue}`,
    });
  }
}

/** A file that was written again is another build. */
async function keyOf({ workflowBundle }: CompiledWorkerOptions): Promise<string | undefined> {
  if (!workflowBundle || !('codePath' in workflowBundle)) return undefined;
  const { size, mtimeMs, ino } = await stat(workflowBundle.codePath);
  return `${workflowBundle.codePath} ${size} ${mtimeMs} ${ino}`;
}
