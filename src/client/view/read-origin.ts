import type { JsonObject } from '../../contracts/json.js';
import type { Plan } from '../../contracts/plan.js';
import type { TaskStart } from '../../contracts/task.js';
import { readStart } from '../../server/temporal/read-start.js';
import type { Connection } from '../connection/connect.js';
import { lastEvents } from '../connection/history-events.js';
import { asking, describeIfKnown } from '../connection/temporal-errors.js';

/** This many last events contain one of the task's worker. */
const LAST_EVENTS = 30;

/**
 * With defaults once it has passed preflight. @returns undefined if Temporal no longer has it.
 * @throws AbilityError `store.not_shared` for a large input in a store that is not accessible here.
 */
export async function readInput(connection: Connection, id: string): Promise<JsonObject | undefined> {
  const seen = await ofKnown(connection, id, () =>
    readStart(connection.temporal, connection.codec, { workflowId: id }),
  );
  return seen?.begun?.input ?? seen?.given?.input;
}

/** The plan of the task; undefined and errors as of {@link readInput}. */
export async function readPlan(connection: Connection, id: string): Promise<Plan | undefined> {
  return (await startOf(connection, id))?.plan;
}

async function startOf(connection: Connection, id: string): Promise<TaskStart | undefined> {
  const { temporal, codec } = connection;
  return ofKnown(connection, id, async () => (await readStart(temporal, codec, { workflowId: id }))?.begun);
}

/** The host of the worker that served the task last; undefined if unknown. */
export async function readHost(connection: Connection, id: string): Promise<string | undefined> {
  return ofKnown(connection, id, async () => {
    for (const { workflowTaskCompletedEventAttributes: task } of await lastEvents(connection, id, LAST_EVENTS)) {
      // Workers identify themselves as process@host.
      if (task?.identity) return task.identity.slice(task.identity.indexOf('@') + 1);
    }
    return undefined;
  });
}

function ofKnown<T>(connection: Connection, id: string, read: () => Promise<T>): Promise<T | undefined> {
  // The handle translates errors of a missing workflow; the service does not.
  return asking(connection, async () => ((await describeIfKnown(connection, id)) ? read() : undefined));
}
