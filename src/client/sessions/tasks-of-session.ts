import type { SessionTask } from '../../contracts/session.js';
import { isEndState } from '../../contracts/states.js';
import type { Connection } from '../connection/connect.js';
import { describedState } from '../list/task-query.js';

/** So many open tasks are looked at; the session itself learns of all with its next turn. */
const MAX_LOOKED_AT = 50;

/** The tasks of a session as they are now; one that Temporal does not know stays as it was. The session learns of them only when it is prompted or ends. */
export async function tasksNow(connection: Connection, tasks: readonly SessionTask[]): Promise<SessionTask[]> {
  const open = tasks.filter(({ status }) => !isEndState(status)).slice(-MAX_LOOKED_AT);
  const states = new Map(
    await Promise.all(
      open.map(async ({ task_key }) => [task_key, await describedState(connection, task_key)] as const),
    ),
  );
  return tasks.map((task) => ({ ...task, status: states.get(task.task_key) ?? task.status }));
}
