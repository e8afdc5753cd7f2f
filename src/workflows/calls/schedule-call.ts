import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { CallAnswer, CallRequest } from '../../contracts/activities.js';
import type { JsonObject } from '../../contracts/json.js';
import { ACTIVITY_LIMITS, TIMEOUT_MARGIN_MS } from '../../contracts/names.js';
import type { PlanOperation, PlanRetry } from '../../contracts/plan.js';
import { attemptsOf, RETRY, stepLimit } from '../../rules/calls/call-limits.js';
import type { Budget } from '../task/budget.js';
import type { Halt } from '../task/stop-branches.js';
import type { TaskRun } from '../task/task-run.js';
import { localActivity } from './local-activities.js';

/** One call of a low-level ability. */
export interface OperationCall {
  path: string;
  id: string;
  operation: PlanOperation;
  input: JsonObject;
  /** Durations already read, in milliseconds. */
  retry: (Omit<PlanRetry, 'first' | 'max'> & { firstMs: number; maxMs: number }) | undefined;
  /** For all attempts together. */
  timeoutMs: number | undefined;
  /** Whether its author allowed that it is ended while it is at work. */
  mayBeCut: boolean;
  /** Attempt of each retried group around it, from the outside in. */
  groups: readonly number[];
  halt: Halt;
  budget: Budget;
}

/** A call that ends this close to the end of its budget ended because of it. */
export const SLACK_MS = 100;

type Call = (request: CallRequest) => Promise<CallAnswer>;

/** Hands a call to a worker: its activity, with the limits and the retries that its author wrote. */
export function scheduleCall(
  { task, files: taskFiles }: TaskRun,
  { operation, path, input, retry, timeoutMs, groups }: OperationCall,
  leftMs: number,
): Promise<CallAnswer> {
  const isAgain = groups.some((attempt) => attempt > 1);
  const files = taskFiles.within(input);
  const room = task.plan.files ? taskFiles.room : undefined;
  const request: CallRequest = {
    ...task.context,
    path,
    with: input,
    ...(isAgain && { groups: [...groups] }),
    ...(files && { files }),
    ...(room !== undefined && { file_room: room }),
  };
  const limitMs = Math.min(stepLimit(task.plan.limits, operation, timeoutMs), leftMs) + TIMEOUT_MARGIN_MS;
  const attempts = attemptsOf(operation, retry?.attempts);
  const policy = {
    maximumAttempts: attempts,
    initialInterval: retry?.firstMs ?? RETRY.firstMs,
    backoffCoefficient: retry?.factor ?? RETRY.factor,
    maximumInterval: Math.max(retry?.maxMs ?? RETRY.maxMs, retry?.firstMs ?? RETRY.firstMs),
  };
  const startToCloseTimeout = Math.min(operation.implementation.timeout_ms + TIMEOUT_MARGIN_MS, limitMs);
  if (operation.fast) {
    const options = { startToCloseTimeout, scheduleToCloseTimeout: limitMs, retry: policy };
    return localActivity<CallRequest, CallAnswer>(operation.key, options)(request);
  }
  const activities = proxyActivities<Record<string, Call>>({
    // The limit that a call with one attempt runs into shows whether it started.
    ...(attempts > 1 ? { scheduleToCloseTimeout: limitMs } : {}),
    startToCloseTimeout,
    // Shorter than the whole, so that work that did not start differs from work that was lost.
    scheduleToStartTimeout: Math.min(ACTIVITY_LIMITS.schedule_to_start, limitMs - SLACK_MS),
    heartbeatTimeout: ACTIVITY_LIMITS.heartbeat,
    retry: policy,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    summary: path,
  });
  return (activities[operation.key] as Call)(request);
}
