import type { DescribeWorkflowExecutionResponse } from '@temporalio/client';
import { AbilityError } from '../../contracts/problem.js';
import { UNSERVED_MS } from '../start/start-request.js';

/** Between the limit, as the server measures it, and the caller's report. Milliseconds. */
const SLACK_MS = 2000;
/** Its start, and the workflow task that waits for a worker. */
const EVENTS_BEFORE = 2;

/**
 * Ends the wait for a task that no worker has taken up in time: if one does later, it ends `expired` and has run
 * nothing. @param since when its creator began to wait. Milliseconds since 1970.
 * @throws AbilityError `worker.unavailable`.
 */
export function refuseNotBegun(
  id: string,
  { workflowExecutionInfo: info }: DescribeWorkflowExecutionResponse,
  since: number,
): void {
  if (Date.now() - since > UNSERVED_MS + SLACK_MS && Number(info?.historyLength) <= EVENTS_BEFORE) {
    throw notTakenUp(id);
  }
}

/** The error for a task that no worker has taken up within the limit for its begin. */
export function notTakenUp(id: string): AbilityError {
  return new AbilityError({
    code: 'worker.unavailable',
    message: `No worker has taken ${id} up within a minute; it runs nothing`,
    suggestion: 'Run `ability doctor` to check the worker.',
  });
}
