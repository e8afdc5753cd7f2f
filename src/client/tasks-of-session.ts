import type { SessionTask } from '../contracts/session.js';
import { isEndState } from '../contracts/states.js';
import type { Connection } from './connect.js';
import { listedState } from './task-query.js';
import { isUnknownWorkflow } from './temporal-errors.js';

/** So many open tasks are looked at; the session itself learns of all with its next turn. */
const MOST_LOOKED_AT = 50;

/** The tasks of a session as they are now: the session learns how they stand only when it is prompted or ends. */
export async function tasksNow(connection: Connection, tasks: readonly SessionTask[]): Promise<SessionTask[]> {
  const open = tasks.filter(({ status }) => !isEndState(status)).slice(-MOST_LOOKED_AT);
  const states = new Map(
    await Promise.all(open.map(async ({ task_key }) => [task_key, await stateOf(connection, task_key)] as const)),
  );
  return tasks.map((task) => ({ ...task, status: states.get(task.task_key) ?? task.status }));
}

/** @returns undefined where Temporal does not know the task: what the session knew of it stays. */
async function stateOf({ temporal }: Connection, key: string): Promise<string | undefined> {
  try {
    const { status, searchAttributes } = await temporal.workflow.getHandle(key).describe();
    return listedState(status.name, String(searchAttributes.AbilityStatus?.[0] ?? ''));
  } catch (error) {
    if (isUnknownWorkflow(error)) return undefined;
    throw error;
  }
}
