import { CancellationScope, sleep } from '@temporalio/workflow';
import type { TaskRun } from '../task/task-run.js';

const LONGEST_MS = 10_000;

/** Waits for the hooks after calls, for ten seconds at most. Source: docs/architecture.md#the-way-of-a-task. */
export async function joinHooks(run: TaskRun): Promise<void> {
  if (run.pendingHooks.size === 0) return;
  await CancellationScope.nonCancellable(async () => {
    const timer = new CancellationScope();
    const late = timer
      .run(() => sleep(LONGEST_MS, { summary: 'waiting for hooks' }))
      .then(
        () => true,
        () => false,
      );
    const done = Promise.allSettled(run.pendingHooks).then(() => false);
    if (await Promise.race([late, done])) {
      run.warnings.push(`hook.timeout: ${run.pendingHooks.size} hooks after calls still ran at the end and were left`);
    }
    timer.cancel();
    await late;
  });
}
