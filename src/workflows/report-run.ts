import { proxySinks } from '@temporalio/workflow';
import type { BegunTask, RunSinks } from '../contracts/run-sinks.js';
import type { TaskStart } from '../contracts/task.js';

const { runs } = proxySinks<RunSinks>();

/** Lets the worker that runs this workflow know its run, so that it need not ask Temporal about it. No event. */
export function reportRun(start?: TaskStart): void {
  runs.begun(start ? taskOf(start) : null);
}

function taskOf({ seal, user, session, child, plan }: TaskStart): BegunTask {
  return { seal, user, session, plan: JSON.stringify(plan), ...(child && { child: child.ability }) };
}
