import { CancellationScope } from '@temporalio/workflow';
import { ACTIVITIES } from '../../contracts/names.js';
import type { TaskStart } from '../../contracts/task.js';
import type { Held } from '../../contracts/task-carried.js';
import { holdsSession } from '../../rules/calls/holds-session.js';
import { StepFailure } from '../steps/step-failure.js';
import type { TaskRun } from '../task/task-run.js';
import { localActivity } from './local-activities.js';

/** Where the MCP sessions of a task are: one worker, for the task and those that it calls. */
export class HeldSessions {
  /** Undefined before the first call that needs one. */
  queue: Held | undefined;
  asking: Promise<Held> | undefined;

  constructor({ carried, child }: Pick<TaskStart, 'carried' | 'child'>) {
    this.queue = (carried ?? child)?.held;
  }
}

/** Chooses the worker at the first call, and before the first called task, so that all have the same. */
export async function whereHeld({ held }: TaskRun): Promise<Held> {
  if (held.queue !== undefined) return held.queue;
  const hold = localActivity<null, Held>(ACTIVITIES.hold);
  held.asking ??= CancellationScope.nonCancellable(() => hold(null));
  held.queue ??= await held.asking;
  return held.queue;
}

/** The queue of a call that needs its task's session. @throws StepFailure `mcp.session_lost`. */
export async function heldQueue(run: TaskRun): Promise<string> {
  const queue = await whereHeld(run);
  if (queue === null) throw sessionLost(run);
  return queue;
}

/** After a call that the worker did not take up: no other call waits for it. */
export function sessionLost({ held }: TaskRun): StepFailure {
  held.queue = null;
  return new StepFailure({
    code: 'mcp.session_lost',
    message: 'The worker that held the MCP session of the task is gone, and no other session takes its place',
    suggestion: 'Run the ability again: a new task begins with a new session.',
  });
}

/** Whether the task, or one that it may call, needs a session. */
export function holdsSessions({ task }: TaskRun): boolean {
  return Object.values(task.start.plan.operations).some(holdsSession);
}
