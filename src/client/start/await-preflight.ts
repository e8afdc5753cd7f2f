import { ApplicationFailure, WorkflowContinuedAsNewError, WorkflowFailedError } from '@temporalio/client';
import { AbilityError, type Problem } from '../../contracts/problem.js';
import type { Formed, PreflightAnswer, Refusal } from '../../contracts/task.js';
import { grpcErrorOf } from '../../server/temporal/grpc-error.js';
import { findAnswer, type HistoryEvent } from '../../server/temporal/read-start.js';
import type { Connection } from '../connection/connect.js';

/** Longer than any preflight, and than a worker may take to notice a task. Milliseconds. */
const LIMIT_MS = 65_000;
const DEADLINE_EXCEEDED = 4;

interface RunRef {
  workflowId: string;
  runId: string;
}

/**
 * Waits for the end of a run's preflight in its history: without an event, and even if the worker is gone by then.
 * @returns undefined if the run ended without one, such as by a cancellation, or if it takes too long.
 * @throws AbilityError with the refusal.
 */
export async function awaitPreflight(
  connection: Connection,
  run: RunRef,
  limitMs = LIMIT_MS,
): Promise<PreflightAnswer | undefined> {
  const { temporal, namespace, codec } = connection;
  const events: HistoryEvent[] = [];
  const deadline = Date.now() + limitMs;
  let nextPageToken: Uint8Array | undefined;
  do {
    const request = { namespace, execution: run, waitNewEvent: true, ...(nextPageToken && { nextPageToken }) };
    const page = await temporal
      .withDeadline(deadline, () => temporal.workflowService.getWorkflowExecutionHistory(request))
      .catch((error: unknown) => {
        if (grpcErrorOf(error)?.code === DEADLINE_EXCEEDED) return undefined;
        throw error;
      });
    if (!page) return undefined;
    events.push(...(page.history?.events ?? []));
    const answer = await findAnswer(codec, events);
    if (answer) return answer;
    nextPageToken = page.nextPageToken?.length ? page.nextPageToken : undefined;
  } while (nextPageToken && Date.now() < deadline);
  // Without a next page the run has ended.
  if (!nextPageToken) await refuseUnavailable(connection, run);
  return undefined;
}

/** Whether preflight passed, and was not answered from the record of an ended task. */
export function isFormed(answer: PreflightAnswer | undefined): answer is Formed {
  return answer !== undefined && 'seal' in answer;
}

async function refuseUnavailable({ temporal }: Connection, { workflowId, runId }: RunRef): Promise<void> {
  try {
    await temporal.workflow.result(workflowId, runId, { followRuns: false });
  } catch (error) {
    if (error instanceof WorkflowContinuedAsNewError) return;
    if (!(error instanceof WorkflowFailedError)) throw error;
    const refusal = refusalOf(error.cause);
    if (refusal) throw new AbilityError(refusal, { cause: error });
  }
}

/** The refusal with which a task ended; undefined for another failure. */
export function refusalOf(cause: unknown): Problem | undefined {
  if (!(cause instanceof ApplicationFailure)) return undefined;
  const [details] = (cause.details ?? []) as unknown[];
  const { status, code, reason, suggestion, ...rest } = (details ?? {}) as Partial<Refusal>;
  if (status !== 'unavailable' || code === undefined || reason === undefined) return undefined;
  return { code, message: reason, ...(suggestion && { suggestion }), ...rest };
}
