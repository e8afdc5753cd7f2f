import { ActivityCancellationType, proxyActivities, proxyLocalActivities } from '@temporalio/workflow';
import type { CallAnswer, CallRequest } from '../../contracts/activities.js';
import { ACTIVITY_LIMITS, TIMEOUT_MARGIN_MS } from '../../contracts/names.js';
import { attemptsOf, RETRY, stepLimit } from '../../rules/call-limits.js';
import type { TaskRun } from '../task/task-run.js';
import { type OperationCall, SLACK_MS } from './operation-call.js';

type Call = (request: CallRequest) => Promise<CallAnswer>;

/** Hands a call to a worker: its activity, with the limits and the retries that its author wrote. */
export function scheduleCall(
  run: TaskRun,
  { operation, path, input, retry, timeoutMs, groups }: OperationCall,
  leftMs: number,
): Promise<CallAnswer> {
  const isAgain = groups.some((attempt) => attempt > 1);
  const files = run.files.within(input);
  const room = run.plan.files ? run.files.room : undefined;
  const request: CallRequest = {
    ...run.context,
    path,
    with: input,
    ...(isAgain && { groups: [...groups] }),
    ...(files && { files }),
    ...(room !== undefined && { file_room: room }),
  };
  const limitMs = Math.min(stepLimit(run.plan.limits, operation, timeoutMs), leftMs) + TIMEOUT_MARGIN_MS;
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
    return (proxyLocalActivities<Record<string, Call>>(options)[operation.key] as Call)(request);
  }
  const activities = proxyActivities<Record<string, Call>>({
    // A call with one attempt that did not start is told apart from one that did by the limit it runs into.
    ...(attempts > 1 ? { scheduleToCloseTimeout: limitMs } : {}),
    startToCloseTimeout,
    // Shorter than the whole, so that work which did not start is told apart from work that was lost.
    scheduleToStartTimeout: Math.min(ACTIVITY_LIMITS.schedule_to_start, limitMs - SLACK_MS),
    heartbeatTimeout: ACTIVITY_LIMITS.heartbeat,
    retry: policy,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    summary: path,
  });
  return (activities[operation.key] as Call)(request);
}
