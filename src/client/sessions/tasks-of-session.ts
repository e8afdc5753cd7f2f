import type { SessionTask } from '../../contracts/session.js';
import { isEndState } from '../../contracts/states.js';
import type { Connection } from '../connection/connect.js';
import { describedState } from '../list/task-query.js';

/** The maximum number of open tasks to update; the session updates all with its next turn. */
const MAX_LOOKED_AT = 50;

/** Updates the states of tasks for display; the session itself updates them when prompted or stopped. */
export async function tasksNow(connection: Connection, tasks: readonly SessionTask[]): Promise<SessionTask[]> {
  const open = tasks.filter(({ status }) => !isEndState(status)).slice(-MAX_LOOKED_AT);
  const states = new Map(
    await Promise.all(
      open.map(async ({ task_key }) => [task_key, await describedState(connection, task_key)] as const),
    ),
  );
  return tasks.map((task) => ({ ...task, status: states.get(task.task_key) ?? task.status }));
}
