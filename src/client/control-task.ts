import { SIGNALS } from '../contracts/names.js';
import { AbilityError } from '../contracts/problem.js';
import type { Session } from './connect.js';
import { asking, isUnknownWorkflow, taskNotFound } from './temporal-errors.js';
import { viewTask } from './view-task.js';

/** Runs a created task; one that already runs goes on as it is. @throws AbilityError `task.not_found`, `task.closed`. */
export function runTask(session: Session, id: string): Promise<void> {
  return control(session, id, 'run', (handle) => handle.signal(SIGNALS.run));
}

/** Asks a task to stop; its clean-up runs first. @throws AbilityError `task.not_found`, `task.closed`. */
export function cancelTask(session: Session, id: string): Promise<void> {
  return control(session, id, 'cancelled', async (handle) => {
    await handle.cancel();
  });
}

type Handle = ReturnType<Session['temporal']['workflow']['getHandle']>;

async function control(
  session: Session,
  id: string,
  what: string,
  action: (handle: Handle) => Promise<void>,
): Promise<void> {
  await asking(session, async () => {
    try {
      await action(session.temporal.workflow.getHandle(id));
    } catch (error) {
      if (!isUnknownWorkflow(error)) throw error;
      const seen = await viewTask(session, id).catch(() => undefined);
      if (!seen) throw taskNotFound(id, error);
      const message = `${id} has ended (${seen.result.status}), so it cannot be ${what === 'run' ? 'run' : what}`;
      throw new AbilityError({ code: 'task.closed', message }, { cause: error });
    }
  });
}
