import { ServiceError } from '@temporalio/client';
import { ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import { ACTIVITIES, ACTIVITY_LIMITS, preflightIdOf } from '../../contracts/names.js';
import type { PreflightAnswer, TaskRequest } from '../../contracts/task.js';
import { isUnimplemented } from '../../server/temporal/grpc-error.js';
import type { Connection } from '../connection/connect.js';
import { outcomeOf, type PreflightOutcome } from './find-preflight-outcome.js';
import { PREFLIGHT_LIMIT, summaryOf } from './preflight-as-workflow.js';

const ATTEMPT_LIMIT = '55s';
/** If no slot for activities was free, the next preflights run as workflows for this long. */
const BUSY_MS = 30_000;

/**
 * Runs a preflight as an activity, at half the cost of a workflow, or joins the one under its key.
 * @returns undefined if it must be a workflow: the server has no standalone activities, the worker's build refuses
 * them, or no slot was free. The connection remembers that.
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
      scheduleToCloseTimeout: PREFLIGHT_LIMIT,
      startToCloseTimeout: ATTEMPT_LIMIT,
      // Detects a killed worker by its missing heartbeats.
      heartbeatTimeout: ACTIVITY_LIMITS.heartbeat,
      retry: { initialInterval: '200ms', maximumAttempts: 5 },
      summary: summaryOf(request),
    });
    return await outcomeOf(() => handle.result());
  } catch (error) {
    if (isUnimplemented(error)) return undefined;
    // The activity client drops errors of others than the server, such as our codec; the workflow client reports them.
    if (error instanceof ServiceError && error.cause === undefined) return 'no reason';
    throw error;
  }
}

/** @returns a time of `performance.now()`; undefined if the outcome is final. */
function mustBeWorkflowUntil(outcome: PreflightOutcome | undefined): number | undefined {
  if (!outcome) return Number.POSITIVE_INFINITY;
  const cause = 'failure' in outcome ? outcome.failure.cause : undefined;
  if (cause instanceof TimeoutFailure && cause.timeoutType === 'SCHEDULE_TO_START') return performance.now() + BUSY_MS;
  const isOlderWorker =
    cause instanceof ApplicationFailure && cause.type === 'seal.invalid' && !isFromNewerWorker(cause.details?.[1]);
  return isOlderWorker ? Number.POSITIVE_INFINITY : undefined;
}

/** Whether a failure comes from a worker that supports preflights as activities. */
function isFromNewerWorker(context: unknown): boolean {
  return typeof context === 'object' && context !== null && 'outside' in context;
}
