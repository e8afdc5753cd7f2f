import { Worker } from '@temporalio/worker';

/**
 * Makes a class of workers that read the bundle of workflows once and run them in one thread, which ends with the last of them.
 *
 * A thread costs a third of a second of a processor and 35 MB, most of it the SDK that it loads, and a project has two places
 * for each environment. Replaced is only what the SDK leaves to its subclasses, by what it does itself. For workers of one
 * connection, one bundle and different queues: no two of them have the same run in their caches.
 */
export function makeSharingWorkers(): Pick<typeof Worker, 'create'> {
  return class SharingWorker extends Worker {
    private static bundle: ReturnType<typeof Worker.getOrCreateBundle> | undefined;
    private static thread: ReturnType<typeof Worker.createWorkflowCreator> | undefined;
    private static users = 0;

    protected static override getOrCreateBundle(...given: Parameters<typeof Worker.getOrCreateBundle>) {
      SharingWorker.bundle ??= Worker.getOrCreateBundle(...given);
      return SharingWorker.bundle;
    }

    protected static override async createWorkflowCreator(
      ...given: Parameters<typeof Worker.createWorkflowCreator>
    ): ReturnType<typeof Worker.createWorkflowCreator> {
      SharingWorker.thread ??= Worker.createWorkflowCreator(...given);
      SharingWorker.users += 1;
      const creator = await SharingWorker.thread;
      const createWorkflow: typeof creator.createWorkflow = (options) => creator.createWorkflow(options);
      return { createWorkflow, destroy: () => SharingWorker.leave(creator) };
    }

    private static async leave(creator: Awaited<ReturnType<typeof Worker.createWorkflowCreator>>): Promise<void> {
      SharingWorker.users -= 1;
      if (SharingWorker.users > 0) return;
      SharingWorker.thread = undefined;
      await creator.destroy();
    }
  };
}
