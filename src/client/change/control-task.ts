import type { Json } from '../../contracts/json.js';
import { SIGNALS } from '../../contracts/names.js';
import { AbilityError, usageError } from '../../contracts/problem.js';
import type { Connection } from '../connection/connect.js';
import { asking, isUnknownWorkflow, taskNotFound } from '../connection/temporal-errors.js';
import { type OwnTask, openOwn, unlessDeleted } from '../view/open-task.js';
import { viewTask } from '../view/view-task.js';

/** Runs a created task; a running one continues. @throws AbilityError as {@link cancelTask}. */
export function runTask(connection: Connection, id: string): Promise<void> {
  return control(connection, id, 'run', ({ run }) => run.signal(SIGNALS.run));
}

/** Its clean-up still runs. @throws AbilityError `task.not_found`, `task.closed`, `task.other_project`. */
export function cancelTask(connection: Connection, id: string): Promise<void> {
  return control(connection, id, 'cancelled', async ({ execution }) => {
    await execution.cancel();
  });
}

/** Lets a task start nothing new until it is resumed. @throws AbilityError as {@link cancelTask}. */
export function pauseTask(connection: Connection, id: string): Promise<void> {
  return control(connection, id, 'paused', ({ run }) => run.signal(SIGNALS.pause));
}

/** Resumes a paused task. @throws AbilityError as {@link cancelTask}. */
export function resumeTask(connection: Connection, id: string): Promise<void> {
  return control(connection, id, 'resumed', ({ run }) => run.signal(SIGNALS.resume));
}

/** The runtime's own signals, and the commands that send them after checks. */
const COMMAND_OF: Record<string, string> = {
  [SIGNALS.approve]: 'approve',
  [SIGNALS.deny]: 'deny',
  [SIGNALS.run]: 'task run',
  [SIGNALS.pause]: 'task pause',
  [SIGNALS.resume]: 'task resume',
};

/**
 * The task may wait for it later. Source: docs/workflow-language.md#waits.
 * @throws AbilityError `usage.invalid` for the runtime's own signals, else as {@link cancelTask}.
 */
export function signalTask(connection: Connection, id: string, name: string, payload: Json): Promise<void> {
  if (Object.hasOwn(COMMAND_OF, name)) {
    const message = `${name} is no signal of a definition: it has a command of its own`;
    const suggestion = `ability ${COMMAND_OF[name]} ${id}`;
    return Promise.reject(usageError(message, suggestion));
  }
  if (name.includes(':')) {
    const message = `${name} is a signal that only the runtime sends`;
    const suggestion = 'Send the name that a `wait: { signal: NAME }` of the definition waits for.';
    return Promise.reject(usageError(message, suggestion));
  }
  return control(connection, id, 'signalled', ({ run }) => run.signal(name, payload));
}

/** Maximum attempts while the task continues as a new run at the same moment. */
const MAX_TRIES = 10;

async function control(
  connection: Connection,
  id: string,
  what: string,
  action: (task: OwnTask) => Promise<void>,
): Promise<void> {
  await asking(connection, async () => {
    for (let left = MAX_TRIES - 1; ; left -= 1) {
      const task = await openOwn(connection, id);
      // Temporal accepts the cancellation of a closed workflow.
      if (task?.description.status.name !== 'RUNNING') throw await closed(connection, id, what);
      try {
        return await action(task);
      } catch (error) {
        if (!isUnknownWorkflow(error)) throw error;
        if (left === 0) throw await closed(connection, id, what, error);
      }
    }
  });
}

async function closed(connection: Connection, id: string, what: string, cause?: unknown): Promise<AbilityError> {
  const seen = await viewTask(connection, id).catch(unlessDeleted);
  if (!seen) return taskNotFound(id, cause);
  const message = `${id} has ended (${seen.result.status}), so it cannot be ${what}`;
  return new AbilityError({ code: 'task.closed', message }, { cause });
}
