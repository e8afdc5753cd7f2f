import { ApplicationFailure, WorkflowContinuedAsNewError, WorkflowFailedError } from '@temporalio/client';
import { AbilityError, type Problem } from '../../contracts/problem.js';
import type { Formed, PreflightAnswer, Refusal } from '../../contracts/task.js';
import { endIn } from '../../server/temporal/event-ends.js';
import { grpcErrorOf } from '../../server/temporal/grpc-error.js';
import { findAnswer, type HistoryEvent } from '../../server/temporal/read-start.js';
import type { Connection } from '../connection/connect.js';

/** Longer than any preflight, and than a worker may take to notice a task. Milliseconds. */
const LIMIT_MS = 65_000;
/** A server that notices the end of the wait first cancels the call. */
const WAITED_LONG: readonly (number | undefined)[] = [1, 4];
/** For one wait, since a server may not wait for single events, and for one answer. Milliseconds. */
const WAIT_MS = 2000;
const ANSWER_MS = 30_000;

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
  const deadline = Date.now() + limitMs;
  let read: HistoryRead | undefined;
  while (Date.now() < deadline) {
    read = (await readOn(connection, run, read, true)) ?? (await readOn(connection, run, undefined, false));
    const answer = read && (await findAnswer(connection.codec, read.events));
    if (answer) return answer;
    if (!read?.events.some(isClose)) continue;
    await refuseUnavailable(connection, run);
    return undefined;
  }
  return undefined;
}

interface HistoryRead {
  events: HistoryEvent[];
  nextPageToken: Uint8Array | undefined;
}

/** Reads on in a history. @param waits for the next events; undefined if there are none for a while. */
async function readOn(
  { temporal, namespace }: Connection,
  execution: RunRef,
  before: HistoryRead | undefined,
  waits: boolean,
): Promise<HistoryRead | undefined> {
  const nextPageToken = before?.nextPageToken;
  const request = { namespace, execution, waitNewEvent: waits, ...(nextPageToken && { nextPageToken }) };
  const ask = (): ReturnType<typeof temporal.workflowService.getWorkflowExecutionHistory> =>
    temporal.workflowService.getWorkflowExecutionHistory(request);
  const page = await temporal.withDeadline(Date.now() + (waits ? WAIT_MS : ANSWER_MS), ask).catch((error: unknown) => {
    // The time-skipping server waits for the end of the run instead.
    if (waits && WAITED_LONG.includes(grpcErrorOf(error)?.code)) return undefined;
    throw error;
  });
  if (!page) return undefined;
  const events = [...(nextPageToken ? (before?.events ?? []) : []), ...(page.history?.events ?? [])];
  return { events, nextPageToken: page.nextPageToken?.length ? page.nextPageToken : undefined };
}

function isClose(event: HistoryEvent): boolean {
  return Boolean(endIn(event, 'workflowExecution') ?? event.workflowExecutionContinuedAsNewEventAttributes);
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
