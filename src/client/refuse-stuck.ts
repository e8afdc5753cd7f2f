import type { DescribeWorkflowExecutionResponse } from '@temporalio/client';
import { meaningOf } from '../contracts/codes.js';
import { AbilityError } from '../contracts/problem.js';
import type { Connection } from './connect.js';

/** So many failed workflow tasks in a row mean that the code cannot go on. Source: design, section 6, "Never a hang". */
const STUCK_FAILURES = 3;
/** So many that ran out of time do: a worker that was killed in the middle of one says nothing against the code. */
const STUCK_TIMEOUTS = 10;
/** Events at the end of a history within which its last failed workflow task stands. */
const LAST_EVENTS = 20;

/**
 * Refuses to wait on for a task whose workflow tasks fail again and again.
 *
 * @param raw how its workflow stands.
 * @throws AbilityError `store.not_shared`, `store.full`, or whatever of ours its worker says is the reason, else
 * `engine.stuck`.
 */
export async function refuseStuck(
  connection: Connection,
  id: string,
  raw: DescribeWorkflowExecutionResponse,
): Promise<void> {
  // The attempt that is pending has not failed yet.
  const failures = (raw.pendingWorkflowTask?.attempt ?? 1) - 1;
  if (failures < STUCK_FAILURES) return;
  const { code = 'engine.stuck', message, isTimeout = false } = await readReason(connection, id);
  if (isTimeout && failures < STUCK_TIMEOUTS) return;
  const often = `failed ${failures} times in a row on ${id}; Temporal goes on trying`;
  throw new AbilityError(
    code === 'engine.stuck'
      ? {
          code,
          message: `The workflow code has ${often}`,
          suggestion:
            'Look at the failed workflow task in the Temporal UI; run the worker version the task was started with.',
        }
      : { code, message: `The worker ${often}: ${message}`, suggestion: meaningOf(code)?.next },
  );
}

/** Why the last workflow task failed, where that is an error of ours; of several in a row Temporal keeps the first. */
async function readReason(
  connection: Connection,
  id: string,
): Promise<{ code?: string; message?: string; isTimeout?: boolean }> {
  const { history } = await connection.temporal.workflowService.getWorkflowExecutionHistoryReverse({
    namespace: connection.namespace,
    execution: { workflowId: id },
    maximumPageSize: LAST_EVENTS,
  });
  const last = history?.events?.find(
    (event) => event.workflowTaskFailedEventAttributes ?? event.workflowTaskTimedOutEventAttributes,
  );
  if (last?.workflowTaskTimedOutEventAttributes) return { isTimeout: true };
  const failure = last?.workflowTaskFailedEventAttributes?.failure;
  const code = failure?.applicationFailureInfo?.type;
  return code && meaningOf(code) ? { code, message: failure?.message ?? '' } : {};
}
