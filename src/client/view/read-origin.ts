import type { JsonObject } from '../../contracts/json.js';
import type { Plan } from '../../contracts/plan.js';
import type { TaskStart } from '../../contracts/task.js';
import { readArguments } from '../../server/temporal/read-arguments.js';
import type { Connection } from '../connection/connect.js';
import { firstEvents, lastEvents } from '../connection/history-events.js';
import { asking, describeIfKnown } from '../connection/temporal-errors.js';
import { findPreflight } from '../start/find-preflight-outcome.js';

/** This many last events contain one of the task's worker. */
const LAST_EVENTS = 30;

/**
 * From the task's first event. @returns undefined if Temporal no longer has it.
 * @throws AbilityError `store.not_shared` for a large input in a store that is not accessible here.
 */
export async function readInput(connection: Connection, id: string): Promise<JsonObject | undefined> {
  return (await readStart(connection, id))?.input;
}

/** The plan of the task; undefined and errors as of {@link readInput}. */
export async function readPlan(connection: Connection, id: string): Promise<Plan | undefined> {
  return (await readStart(connection, id))?.plan;
}

async function readStart(connection: Connection, id: string): Promise<TaskStart | undefined> {
  return ofKnown(connection, id, async () => {
    const [first] = await firstEvents(connection, id, 1);
    const payloads = first?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
    return readArguments(connection.codec, payloads, id);
  });
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

/** On the worker's machine, as the preflight reported; no history need hold it. Undefined if unknown. */
export async function readRecordPlace(
  connection: Connection,
  id: string,
  project: string = connection.project,
): Promise<string | undefined> {
  try {
    const outcome = await findPreflight(connection, id, project);
    return typeof outcome === 'object' && 'answer' in outcome ? outcome.answer.record : undefined;
  } catch {
    return undefined;
  }
}

function ofKnown<T>(connection: Connection, id: string, read: () => Promise<T>): Promise<T | undefined> {
  // The handle translates errors of a missing workflow; the service does not.
  return asking(connection, async () => ((await describeIfKnown(connection, id)) ? read() : undefined));
}
