import type { TaskMemo } from '../../contracts/task.js';
import { isTask, projectOf } from '../../rules/tasks/task-refusals.js';
import type { Connection } from '../connection/connect.js';
import { keepingRuntime } from '../connection/keep-runtime.js';
import { asking, describeIfKnown } from '../connection/temporal-errors.js';
import { findRecord } from './read-record.js';

/**
 * The ability and the environment of a task, in one request; from its record where Temporal has forgotten it. Undefined for
 * an unknown key, a task of another project, and where they cannot be determined.
 */
export async function placeOfTask(
  connection: Connection,
  key: string,
): Promise<{ ability: string; environment: string } | undefined> {
  const found = await asking(connection, () => keepingRuntime(connection, () => describeIfKnown(connection, key)));
  if (!found) {
    const plan = (await findRecord(connection, key))?.plan;
    return plan && { ability: plan.ability.id, environment: plan.environment.name };
  }
  const { environment } = (found.memo ?? {}) as Partial<TaskMemo>;
  if (!isTask(found) || projectOf(found) !== connection.project || !environment) return undefined;
  return { ability: found.type, environment };
}
