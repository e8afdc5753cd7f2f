import type { Connection } from '../../../client/index.js';
import { AbilityError } from '../../../contracts/problem.js';
import { didYouMean } from '../../../text/nearest.js';

/** An unknown task key gets the nearest of the last 200 as its suggestion; other errors stay as they are. */
export async function withNearTask(connection: Connection, error: unknown): Promise<unknown> {
  if (!(error instanceof AbilityError) || error.code !== 'task.not_found') return error;
  const { task_key: wrong } = (error.details ?? {}) as { task_key?: string };
  if (wrong === undefined) return error;
  const { listTasks } = await import('../../../client/index.js');
  const tasks = await listTasks(connection, { limit: 200 }).catch(() => []);
  const keys = tasks.map(({ task_key }) => task_key);
  const suggestion = didYouMean(wrong, keys);
  return suggestion === undefined ? error : new AbilityError({ ...error.toProblem(), suggestion }, { cause: error });
}
