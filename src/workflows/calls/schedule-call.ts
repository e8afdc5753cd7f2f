import { ActivityCancellationType, proxyActivities } from '@temporalio/workflow';
import type { CallAnswer, CallRequest } from '../../contracts/activities.js';
import type { UndoSubject } from '../../contracts/approvals.js';
import type { Json, JsonObject } from '../../contracts/json.js';
import { ACTIVITY_LIMITS, TIMEOUT_MARGIN_MS } from '../../contracts/names.js';
import type { PlanOperation, PlanRetry } from '../../contracts/plan.js';
import type { Problem } from '../../contracts/problem.js';
import { attemptsOf, RETRY, stepLimit } from '../../rules/calls/call-defaults.js';
import { defined } from '../../text/defined.js';
import type { Budget } from '../task/budget.js';
import type { BranchStop } from '../task/stop-branches.js';
import type { TaskRun } from '../task/task-run.js';
import { localActivity } from './local-activities.js';

/** A call of a `foreach` that asked once. */
export interface DecidedCall {
  path: string;
  /** What people have seen, with defaults. */
  input: Json;
  /** Who denied it, and the approval. Absent: it is approved. */
  denied?: Problem;
}

export interface OperationCall {
  path: string;
  id: string;
  operation: PlanOperation;
  input: JsonObject;
  /** Durations are parsed, in milliseconds. */
  retry: (Omit<PlanRetry, 'first' | 'max'> & { firstMs: number; maxMs: number }) | undefined;
  /** For all attempts together. */
  timeoutMs: number | undefined;
  /** Whether the definition allows cutting the call while it runs. */
  mayBeCut: boolean;
  /** What takes the call back, as its approver sees it. */
  undo?: (() => UndoSubject) | undefined;
  /** It takes another call back, whose approval covers it unless it is to ask itself. */
  takesBack?: { asks: boolean };
  /** It asks what became of another call. */
  about?: CallRequest['about'];
  /** Its attempts that were lost and had no effect, and all that were made so far. */
  earlier?: { lost: number; made: number };
  /** People decided on it beforehand, with those of the other items of its `foreach`. */
  listed?: DecidedCall | undefined;
  /** Attempt of each retried group around it, from the outside in. */
  groups: readonly number[];
  branchStop: BranchStop;
  budget: Budget;
}

/** A call that ends this close to the end of its budget counts as ended by the budget. */
export const SLACK_MS = 100;

type Call = (request: CallRequest) => Promise<CallAnswer>;

export function scheduleCall(
  { task, files: taskFiles }: TaskRun,
  { operation, path, input, retry, timeoutMs, groups, about, earlier }: OperationCall,
  leftMs: number,
  taskQueue?: string,
): Promise<CallAnswer> {
  const isAgain = groups.some((attempt) => attempt > 1);
  const files = taskFiles.within(input);
  const room = task.plan.files ? taskFiles.room : undefined;
  const request: CallRequest = {
    ...task.context,
    path,
    with: input,
    ...(isAgain && { groups: [...groups] }),
    ...defined({ files, file_room: room, about, after: earlier?.lost }),
  };
  const limitMs = Math.min(stepLimit(task.plan.limits, operation, timeoutMs), leftMs) + TIMEOUT_MARGIN_MS;
  const attempts = attemptsOf(operation, retry?.attempts);
  const policy = {
    maximumAttempts: attempts,
    initialInterval: retry?.firstMs ?? RETRY.firstMs,
    backoffCoefficient: retry?.factor ?? RETRY.factor,
    maximumInterval: Math.max(retry?.maxMs ?? RETRY.maxMs, retry?.firstMs ?? RETRY.firstMs),
    // Before the next attempt it is asked what became of a lost one.
    ...(operation.unknown && { nonRetryableErrorTypes: ['TemporalTimeout:StartToClose', 'TemporalTimeout:Heartbeat'] }),
  };
  const startToCloseTimeout = Math.min(operation.implementation.timeout_ms + TIMEOUT_MARGIN_MS, limitMs);
  if (operation.fast) {
    const options = { startToCloseTimeout, scheduleToCloseTimeout: limitMs, retry: policy };
    return localActivity<CallRequest, CallAnswer>(operation.key, options)(request);
  }
  const activities = proxyActivities<Record<string, Call>>({
    ...(taskQueue !== undefined && { taskQueue }),
    // With one attempt, the timeout that expires shows whether the call started.
    ...(attempts > 1 ? { scheduleToCloseTimeout: limitMs } : {}),
    startToCloseTimeout,
    // Shorter than the whole, to distinguish work that never started from lost work.
    scheduleToStartTimeout: Math.min(ACTIVITY_LIMITS.schedule_to_start, limitMs - SLACK_MS),
    heartbeatTimeout: ACTIVITY_LIMITS.heartbeat,
    retry: policy,
    cancellationType: ActivityCancellationType.WAIT_CANCELLATION_COMPLETED,
    summary: path,
  });
  return (activities[operation.key] as Call)(request);
}
