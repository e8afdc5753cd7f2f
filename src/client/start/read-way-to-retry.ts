import type { TaskResult } from '../../contracts/task.js';
import { type WayToRetry, wayToRetry } from '../../rules/way-on.js';
import type { Connection } from '../connection/connect.js';
import { readPlan } from '../view/read-origin.js';
import { readRecord } from '../view/read-record.js';

/**
 * How a task that has ended can be tried again; undefined where it cannot, or where that cannot be learnt.
 *
 * It is what a retry itself asks for: Temporal still has the task, it is of this project, and the step is one of its own.
 */
export async function readWayToRetry(connection: Connection, result: TaskResult): Promise<WayToRetry | undefined> {
  const { task_key: task, status, error, project } = result;
  if (task === null || project !== undefined) return undefined;
  if (!wayToRetry({ task, status, plan: undefined, error })) return undefined;
  try {
    const { status: temporal } = await connection.temporal.workflow.getHandle(task).describe();
    if (temporal.name === 'RUNNING') return undefined;
    const plan = readRecord(connection, task)?.plan ?? (await readPlan(connection, task));
    return wayToRetry({ task, status, plan, error });
  } catch {
    // It is a hint; what is wrong with the server is said by what asks for more.
    return undefined;
  }
}
