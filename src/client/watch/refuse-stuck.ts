import type { DescribeWorkflowExecutionResponse } from '@temporalio/client';
import { meaningOf } from '../../contracts/codes.js';
import { AbilityError } from '../../contracts/problem.js';
import type { Connection } from '../connection/connect.js';
import type { HistoryEvent } from '../connection/history-events.js';

/** This many failed workflow tasks in a row mean that the code cannot continue. Source: docs/architecture.md#never-a-hang. */
const STUCK_FAILURES = 3;
/** The same for failures that the code did not cause, such as a worker killed in the middle of one. */
const STUCK_OTHERS = 10;
/** How many events at the end of a history are searched for its last failed workflow task: signals may follow it. */
const LAST_EVENTS = 1000;
/** Causes of a failed workflow task that say nothing against the code. Source: `WorkflowTaskFailedCause` of Temporal's API. */
const OF_TRAFFIC: Readonly<Record<number, string>> = {
  1: 'UNHANDLED_COMMAND',
  13: 'RESET_STICKY_TASK_QUEUE',
  17: 'FORCE_CLOSE_COMMAND',
  31: 'UNHANDLED_UPDATE',
};

/**
 * Refuses to wait on for a task whose workflow tasks fail again and again.
 *
 * @param raw the description of its workflow.
 * @throws AbilityError `store.not_shared`, `store.full`, or another code of ours that the worker reports, else `engine.stuck`.
 */
export async function refuseStuck(
  connection: Connection,
  id: string,
  raw: DescribeWorkflowExecutionResponse,
): Promise<void> {
  // The attempt that is pending has not failed yet.
  const failures = (raw.pendingWorkflowTask?.attempt ?? 1) - 1;
  if (failures < STUCK_FAILURES) return;
  const { code = 'engine.stuck', message = '', isOfCode = true } = await readReason(connection, id);
  if (!isOfCode && failures < STUCK_OTHERS) return;
  const often = `failed ${failures} times in a row on ${id}; Temporal goes on trying`;
  throw new AbilityError(
    code === 'engine.stuck'
      ? {
          code,
          message: `The workflow code has ${often}${message && `: ${message}`}`,
          suggestion:
            'Look at the failed workflow task in the Temporal UI; run the worker version the task was started with.',
        }
      : { code, message: `The worker ${often}: ${message}`, suggestion: meaningOf(code)?.next },
  );
}

/**
 * Why the last workflow task failed, where that is an error of ours; of several in a row Temporal keeps the first.
 *
 * Where no failure is found among the last events, nothing is known against the code.
 */
async function readReason(
  connection: Connection,
  id: string,
): Promise<{ code?: string; message?: string; isOfCode?: boolean }> {
  const last = await findLastFailure(connection, id);
  const failed = last?.workflowTaskFailedEventAttributes;
  if (!failed || OF_TRAFFIC[failed.cause ?? 0]) return { isOfCode: false };
  const code = failed.failure?.applicationFailureInfo?.type;
  const message = failed.failure?.message ?? '';
  return code && meaningOf(code) ? { code, message } : { message };
}

async function findLastFailure(connection: Connection, id: string): Promise<HistoryEvent | undefined> {
  let seen = 0;
  let nextPageToken: Uint8Array | undefined;
  do {
    const page = await connection.temporal.workflowService.getWorkflowExecutionHistoryReverse({
      namespace: connection.namespace,
      execution: { workflowId: id },
      ...(nextPageToken && { nextPageToken }),
    });
    const events = page.history?.events ?? [];
    const found = events.find(
      (event) => event.workflowTaskFailedEventAttributes ?? event.workflowTaskTimedOutEventAttributes,
    );
    if (found) return found;
    seen += events.length;
    nextPageToken = page.nextPageToken?.length ? page.nextPageToken : undefined;
  } while (nextPageToken && seen < LAST_EVENTS);
  return undefined;
}
