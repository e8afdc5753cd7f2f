import { condition } from '@temporalio/workflow';
import { Halted } from '../steps/step-failure.js';
import type { Halt } from './halt.js';
import type { TaskRun } from './task-run.js';

/**
 * Waits until no call is under way any more, and then ends this run, so that the task goes on as a new one.
 *
 * Until then a failure beside the step that waits here, a race that is won, a time-out and a cancellation do what they
 * always do, clean-ups included. So nothing is left to be decided when all is halted, and the next run finds everything
 * either ended or to be gone on with. Source: docs/architecture.md#what-lives-where-in-temporal.
 *
 * @throws Halted; cancellation.
 */
export async function windUp(run: TaskRun, halt: Halt): Promise<never> {
  let seen: number;
  do {
    seen = run.changes;
    await halt.wait(() => untilQuiet(run));
    // What woke up at the same moment may have begun something, or may have decided something.
  } while (run.changes !== seen || run.atWork > 0);
  run.rollingOver = true;
  halt.tripAll();
  throw new Halted();
}

/** A condition is looked at when it is made; only when it is looked at again has all else come to rest. */
function untilQuiet(run: TaskRun): Promise<void> {
  let isFirst = true;
  return condition(() => {
    const atRest = !isFirst && run.atWork === 0;
    isFirst = false;
    return atRest;
  });
}
