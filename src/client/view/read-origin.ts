import type { JsonObject } from '../../contracts/json.js';
import type { Plan } from '../../contracts/plan.js';
import type { TaskStart } from '../../contracts/task.js';
import { readArguments } from '../../server/temporal/read-arguments.js';
import type { Connection } from '../connection/connect.js';
import { firstEvents, lastEvents } from '../connection/history-events.js';
import { asking, describeIfKnown } from '../connection/temporal-errors.js';
import { findPreflight } from '../start/find-preflight.js';

/** Events at the end of a history among which is one of the task's worker. */
const LAST_EVENTS = 30;

/**
 * The input a task was started with, from its first event.
 *
 * @returns undefined when Temporal no longer has the task. @throws AbilityError `store.not_shared` for a large input
 * that lies in a store we do not see.
 */
export async function readInput(connection: Connection, id: string): Promise<JsonObject | undefined> {
  return (await readStart(connection, id))?.input;
}

/** The plan a task was started with; as {@link readInput}. */
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

/** The machine whose worker last worked on a task, by the worker's own name; undefined if unknown. */
export async function readHost(connection: Connection, id: string): Promise<string | undefined> {
  return ofKnown(connection, id, async () => {
    for (const { workflowTaskCompletedEventAttributes: task } of await lastEvents(connection, id, LAST_EVENTS)) {
      // A worker calls itself process@host.
      if (task?.identity) return task.identity.slice(task.identity.indexOf('@') + 1);
    }
    return undefined;
  });
}

/**
 * Where the worker that made a task keeps its record, on its own machine; undefined where that is not known any more.
 *
 * The preflight has said so, which is one of the project of the task, so that no history of a task need hold it.
 */
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
  // The handle knows which errors mean that there is no such workflow; the service alone does not.
  return asking(connection, async () => ((await describeIfKnown(connection, id)) ? read() : undefined));
}
