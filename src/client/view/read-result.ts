import {
  ApplicationFailure,
  CancelledFailure,
  TerminatedFailure,
  type WorkflowExecutionDescription,
  WorkflowFailedError,
} from '@temporalio/client';
import { defaultPayloadConverter, fromPayloadsAtIndex } from '@temporalio/common';
import type { FinishAnswer } from '../../contracts/activities.js';
import type { Json } from '../../contracts/json.js';
import { ACTIVITIES } from '../../contracts/names.js';
import { type Problem, reasonOf } from '../../contracts/problem.js';
import type { StoredResult } from '../../contracts/stored-result.js';
import type { TaskMemo, TaskResult } from '../../contracts/task.js';
import { isOutputRef, mapLargeParts, restoreResult } from '../../rules/tasks/stored-result.js';
import { keyOf } from '../../rules/tasks/task-ids.js';
import { linksTo, type TaskLinks } from '../../rules/tasks/task-link.js';
import { payloadsOfMarker } from '../../server/temporal/read-start.js';
import type { Connection } from '../connection/connect.js';
import { lastEvents } from '../connection/history-events.js';
import { isUnknownWorkflow } from '../connection/temporal-errors.js';
import { refusalOf } from '../start/await-preflight.js';
import { otherProjectOf } from './open-task.js';
import { findRecord, recordHere } from './read-record.js';

/** This many last events contain the `finish` activity of a task. */
const LAST_EVENTS = 30;

/** Waits for a task, however it ends. Reads the close event, so an ended task needs no worker. */
export async function awaitResult(connection: Connection, id: string): Promise<TaskResult> {
  const handle = connection.temporal.workflow.getHandle(id);
  try {
    return restore(connection, id, (await handle.result()) as StoredResult);
  } catch (error) {
    if (isUnknownWorkflow(error)) {
      const known = (await findRecord(connection, id))?.result;
      if (known) return known;
    }
    if (!(error instanceof WorkflowFailedError)) throw error;
    return resultOfFailure(connection, id, error.cause);
  }
}

async function resultOfFailure(connection: Connection, id: string, cause: Error | undefined): Promise<TaskResult> {
  if (cause instanceof ApplicationFailure) {
    const [result] = (cause.details ?? []) as [StoredResult?];
    if (result && 'steps' in result) return restore(connection, id, result);
    const refusal = refusalOf(cause);
    if (refusal) return bareResult(connection, id, 'unavailable', refusal);
    const error: Problem = { code: cause.type ?? 'internal.error', message: cause.message };
    return bareResult(connection, id, 'failed', error);
  }
  if (cause instanceof CancelledFailure) {
    const finished = await readFinish(connection, id);
    return finished ? restore(connection, id, finished) : bareResult(connection, id, 'cancelled', null);
  }
  if (cause instanceof TerminatedFailure) {
    const error = { code: 'task.terminated', message: `The workflow was terminated: ${cause.message}` };
    return { ...(await bareResult(connection, id, 'cancelled', error)), rolled_back: 'none' };
  }
  const message = cause?.message ?? 'The workflow ended without saying how';
  return bareResult(connection, id, 'failed', { code: 'internal.error', message });
}

/** Temporal keeps no details of a cancelled workflow; the task's last local activity has them. */
async function readFinish(connection: Connection, id: string): Promise<StoredResult | undefined> {
  for (const event of await lastEvents(connection, id, LAST_EVENTS)) {
    const encoded = payloadsOfMarker(event, ACTIVITIES.finish);
    if (!encoded) continue;
    const payloads = await connection.codec.decode(encoded);
    const answer = fromPayloadsAtIndex<FinishAnswer>(defaultPayloadConverter, 0, payloads);
    return 'result' in answer ? answer.result : undefined;
  }
  return undefined;
}

async function restore(connection: Connection, id: string, stored: StoredResult): Promise<TaskResult> {
  return complete(connection, id, restoreResult(await knownOf(connection, id, stored), stored));
}

/** From the memo, if this connection created the task and the result has the times; else from Temporal. */
async function knownOf(connection: Connection, id: string, stored: StoredResult): Promise<TaskResult> {
  const memo = connection.created?.get(id);
  connection.created?.delete(id);
  if (memo && stored.started_at && stored.took_ms !== undefined) {
    return resultFromMemo(id, memo, stored.started_at);
  }
  return resultFromDescription(connection, id, await connection.temporal.workflow.getHandle(id).describe());
}

async function bareResult(
  connection: Connection,
  id: string,
  status: TaskResult['status'],
  error: Problem | null,
): Promise<TaskResult> {
  const description = await connection.temporal.workflow.getHandle(id).describe();
  return complete(connection, id, {
    ...resultFromDescription(connection, id, description),
    status,
    error,
    cleanup_ran: status === 'unavailable' ? null : false,
  });
}

/** What Temporal's description reveals about a task, without a worker. */
export function resultFromDescription(
  connection: Connection,
  id: string,
  description: WorkflowExecutionDescription,
): TaskResult {
  const memo = (description.memo ?? {}) as Partial<TaskMemo>;
  const project = otherProjectOf(connection, description);
  return {
    ...resultFromMemo(id, { ability: description.type, ...memo }, description.startTime.toISOString()),
    finished_at: description.closeTime?.toISOString() ?? null,
    ...(project !== undefined && { project }),
  };
}

export function resultFromMemo(id: string, memo: Partial<TaskMemo>, startedAt: string | null): TaskResult {
  return {
    status: 'running',
    task_key: keyOf(id),
    ability_id: memo.ability ?? '',
    version: '',
    digest: '',
    environment: memo.environment ?? '',
    output: null,
    error: null,
    warnings: [],
    steps: [],
    approvals: [],
    hooks: [],
    requested_by: {
      name: memo.requested_by ?? '',
      source: 'claimed',
      ...(memo.agent !== undefined && { agent: memo.agent }),
    },
    started_at: startedAt,
    finished_at: null,
    cleanup_ran: null,
    links: { temporal: null, page: null, record: null },
    ...(memo.intent !== undefined && { intent: memo.intent }),
  };
}

/** Adds links, and large values from the store; a warning for each missing value. */
async function complete(connection: Connection, id: string, result: TaskResult): Promise<TaskResult> {
  const found = new Map<string, Json>();
  const missing = new Set<string>();
  const references = new Set<string>();
  mapLargeParts(result, (part) => {
    if (isOutputRef(part)) references.add(part.$ref);
    return part;
  });
  for (const reference of references) {
    try {
      const bytes = await connection.store.get(reference);
      found.set(reference, JSON.parse(new TextDecoder().decode(bytes)) as Json);
    } catch (error) {
      missing.add(`store.not_shared: ${reasonOf(error)}`);
    }
  }
  const whole = mapLargeParts(result, (part) => (isOutputRef(part) ? (found.get(part.$ref) ?? part) : part));
  // Another project's task may have the same key as a record here.
  const here = result.project === undefined ? recordHere(connection, id) : null;
  const links = { record: result.links.record ?? here, ...linksOf(connection, id) };
  return { ...whole, links, warnings: [...result.warnings, ...missing] };
}

/** The links to a task, as far as this connection knows its places. */
export function linksOf(connection: Connection, workflowId: string): TaskLinks {
  return linksTo(connection, connection.namespace, workflowId);
}
