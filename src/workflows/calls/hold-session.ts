import { CancellationScope } from '@temporalio/workflow';
import { ACTIVITIES } from '../../contracts/names.js';
import type { Held } from '../../contracts/task-carried.js';
import { holdsSession } from '../../rules/calls/tools-used.js';
import { StepFailure } from '../steps/step-failure.js';
import type { TaskRun } from '../task/task-run.js';
import { localActivity } from './local-activities.js';

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

/** Also after a call that the worker did not take up: no other call waits for it. */
export function sessionLost({ task, held }: TaskRun): StepFailure {
  held.queue = null;
  const { endedFrom: from } = held;
  return new StepFailure({
    code: 'mcp.session_lost',
    message: `The session of the task with its MCP server is lost, and no other one takes its place: ${from === undefined ? 'the worker that held it is gone' : 'it ended with the task that this one retries'}`,
    suggestion:
      from === undefined
        ? 'Run the ability again: a new task begins with a new session.'
        : `Repeat the steps that used it, too: ability task retry ${task.key} --from ${from}`,
  });
}

/** Whether the task, or one that it may call, needs a session. */
export function holdsSessions({ task }: TaskRun): boolean {
  return Object.values(task.start.plan.operations).some(holdsSession);
}
