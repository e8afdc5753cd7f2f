import { makeContinueAsNewFunc } from '@temporalio/workflow';
import type { TaskArguments } from '../../contracts/task.js';
import { nextArguments } from '../../rules/tasks/task-arguments.js';
import { refuseCancelled } from '../task/before-step.js';
import type { TaskRun } from '../task/task-run.js';

/**
 * Continues on the queue of its placement, before anything is executed, with the signals that have come: a client without
 * definitions may start a task elsewhere. @throws cancellation.
 */
export function moveTo(taskQueue: string, { task, life, steps, warnings }: TaskRun): Promise<never> {
  // A new run would not know that this one was cancelled.
  refuseCancelled();
  const { signals } = steps;
  const { paused } = life;
  const goOn = makeContinueAsNewFunc<(...args: TaskArguments) => Promise<never>>({ taskQueue });
  return goOn(
    ...nextArguments({
      ...task.start,
      run: life.runRequested,
      warnings: warnings.list,
      created_at: task.createdAt,
      ...((signals.length > 0 || paused) && { changed: { changes: [], applied: [], signals, paused } }),
    }),
  );
}
