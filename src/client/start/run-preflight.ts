import { ServiceError } from '@temporalio/client';
import { ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import { ACTIVITIES, ACTIVITY_LIMITS, preflightIdOf, WORKFLOWS } from '../../contracts/names.js';
import type { PreflightAnswer, TaskRequest } from '../../contracts/task.js';
import { isUnimplemented } from '../../server/temporal/grpc-error.js';
import type { Connection } from '../connection/connect.js';
import { outcomeOf, type PreflightOutcome } from './find-preflight.js';

const LIMIT = '60s';
const ATTEMPT_LIMIT = '55s';
/** A worker without a free slot for calls does not begin the next preflight at once either. */
const BUSY_MS = 30_000;

/**
 * Runs a preflight as an activity of its own, which costs half of what a workflow does, or joins the one under its key.
 *
 * @returns undefined where it must be a workflow: the server knows no activities outside of workflows, the worker is of
 * a build that refuses them, or none of its slots for calls was free. The connection remembers that.
 */
export async function runAsActivity(
  connection: Connection,
  request: TaskRequest,
  taskQueue: string,
): Promise<PreflightOutcome | undefined> {
  if (performance.now() < (connection.preflightIsWorkflowUntil ?? 0)) return undefined;
  const outcome = await startActivity(connection, request, taskQueue);
  if (outcome === 'no reason') return undefined;
  const until = mustBeWorkflowUntil(outcome);
  if (until === undefined) return outcome;
  connection.preflightIsWorkflowUntil = until;
  return undefined;
}

async function startActivity(
  connection: Connection,
  request: TaskRequest,
  taskQueue: string,
): Promise<PreflightOutcome | 'no reason' | undefined> {
  try {
    const handle = await connection.temporal.activity.start<PreflightAnswer>(ACTIVITIES.preflight, {
      id: preflightIdOf(request.task, connection.project),
      taskQueue,
      args: [request],
      idConflictPolicy: 'USE_EXISTING',
      idReusePolicy: 'ALLOW_DUPLICATE',
      scheduleToStartTimeout: ACTIVITY_LIMITS.preflight_slot,
      scheduleToCloseTimeout: LIMIT,
      startToCloseTimeout: ATTEMPT_LIMIT,
      // A worker that was killed is noticed by the beats that it no longer gives.
      heartbeatTimeout: ACTIVITY_LIMITS.heartbeat,
      retry: { initialInterval: '200ms', maximumAttempts: 5 },
      summary: summaryOf(request),
    });
    return await outcomeOf(() => handle.result());
  } catch (error) {
    if (isUnimplemented(error)) return undefined;
    // The SDK's client of activities drops what is no answer of the server, such as the refusal of our own codec; that of
    // workflows says it.
    if (error instanceof ServiceError && error.cause === undefined) return 'no reason';
    throw error;
  }
}

/** @returns a moment on the clock of `performance.now()`; undefined where the outcome is that of the preflight. */
function mustBeWorkflowUntil(outcome: PreflightOutcome | undefined): number | undefined {
  if (!outcome) return Number.POSITIVE_INFINITY;
  const cause = 'failure' in outcome ? outcome.failure.cause : undefined;
  if (cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_START') return performance.now() + BUSY_MS;
  const isOlderWorker =
    cause instanceof ApplicationFailure && cause.type === 'seal.invalid' && !isAskedOutside(cause.details?.[1]);
  return isOlderWorker ? Number.POSITIVE_INFINITY : undefined;
}

/** Workers that know preflights outside of workflows say so in each failure of one. */
function isAskedOutside(context: unknown): boolean {
  return typeof context === 'object' && context !== null && 'outside' in context;
}

/** Runs a preflight as a workflow, or joins the one under its key. */
export async function startAsWorkflow(
  connection: Connection,
  request: TaskRequest,
  taskQueue: string,
): Promise<{ id: string; outcome: () => Promise<PreflightOutcome> }> {
  const id = preflightIdOf(request.task, connection.project);
  const handle = await connection.temporal.workflow.start<(request: TaskRequest) => Promise<PreflightAnswer>>(
    WORKFLOWS.preflight,
    {
      workflowId: id,
      taskQueue,
      args: [request],
      workflowExecutionTimeout: LIMIT,
      workflowIdConflictPolicy: 'USE_EXISTING',
      workflowIdReusePolicy: 'ALLOW_DUPLICATE',
      staticSummary: summaryOf(request),
    },
  );
  return { id, outcome: () => outcomeOf(() => handle.result()) };
}

function summaryOf({ ability }: TaskRequest): string {
  return `preflight of ${ability}`;
}
