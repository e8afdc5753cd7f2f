import type { TaskRun } from './task-run.js';

/**
 * Whether a task tells of each call what became of it: one that was cut makes it `unknown`, and one that was made and
 * answered is not made again and is taken back. Plans of engine 1 go on as they did.
 */
export function isSinceEngine2({ plan }: Pick<TaskRun, 'plan'>): boolean {
  return plan.engine >= 2;
}
