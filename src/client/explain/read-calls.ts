import type { WorkflowExecutionDescription } from '@temporalio/client';
import type { Problem } from '../../contracts/problem.js';
import { isOperation } from '../../rules/agents.js';
import { isoOf } from '../../server/temporal/read-start.js';
import type { HistoryEvent } from '../connection/history-events.js';

export type PendingActivity = NonNullable<WorkflowExecutionDescription['raw']['pendingActivities']>[number];
type Failure = NonNullable<HistoryEvent['activityTaskFailedEventAttributes']>['failure'];

/** Decodes the metadata text of an event; undefined if it has none. */
export type ReadText = (payload: NonNullable<HistoryEvent['userMetadata']>['summary']) => Promise<string | undefined>;

export type AttemptProblem = Pick<Problem, 'code' | 'message'>;

/** A call in the history: its last attempt, and the error of the attempt before. Times are ISO 8601. */
export interface SeenCall {
  path: string;
  operation: string;
  scheduled_at: string | null;
  /** Number of the last attempt; 0: none has started. */
  attempt: number;
  started_at: string | null;
  ended_at: string | null;
  end: 'completed' | 'failed' | 'cancelled' | null;
  problem: AttemptProblem | null;
  earlier: AttemptProblem | null;
  /** Start of the next attempt, while the call waits for it. */
  starts_at: string | null;
  worker: string | null;
}

/** Calls of operations in scheduled order, without hooks and our own activities. @param pending open calls. */
export async function readCalls(
  events: readonly HistoryEvent[],
  pending: readonly PendingActivity[],
  readText: ReadText,
): Promise<SeenCall[]> {
  const calls: SeenCall[] = [];
  // Event ids start again with each run, but events only refer to earlier ones of the same run.
  const byEvent = new Map<string, SeenCall>();
  const byActivity = new Map<string, SeenCall>();
  for (const event of events) {
    const scheduled = event.activityTaskScheduledEventAttributes;
    const operation = scheduled?.activityType?.name;
    if (scheduled && operation && isOperation(operation)) {
      const call = newCall((await readText(event.userMetadata?.summary)) ?? '', operation, event);
      calls.push(call);
      byEvent.set(String(event.eventId), call);
      byActivity.set(scheduled.activityId ?? '', call);
    } else takeEvent(byEvent, event);
  }
  for (const activity of pending) {
    const call = byActivity.get(activity.activityId ?? '');
    if (call && call.end === null) takePending(call, activity);
  }
  return calls;
}

function newCall(path: string, operation: string, event: HistoryEvent): SeenCall {
  return {
    path,
    operation,
    scheduled_at: isoOf(event.eventTime),
    attempt: 0,
    started_at: null,
    ended_at: null,
    end: null,
    problem: null,
    earlier: null,
    starts_at: null,
    worker: null,
  };
}

/** Applies an event to its call. Temporal writes the start event when the last attempt ends. */
function takeEvent(calls: ReadonlyMap<string, SeenCall>, event: HistoryEvent): void {
  const started = event.activityTaskStartedEventAttributes;
  const completed = event.activityTaskCompletedEventAttributes;
  const failed = event.activityTaskFailedEventAttributes ?? event.activityTaskTimedOutEventAttributes;
  const cancelled = event.activityTaskCanceledEventAttributes;
  const call = calls.get(String((started ?? completed ?? failed ?? cancelled)?.scheduledEventId));
  if (!call) return;
  if (started) {
    call.attempt = started.attempt ?? 1;
    call.started_at = isoOf(event.eventTime);
    call.worker = started.identity || null;
    call.earlier = problemOf(started.lastFailure);
    return;
  }
  call.ended_at = isoOf(event.eventTime);
  call.end = completed ? 'completed' : failed ? 'failed' : 'cancelled';
  if (failed) call.problem = problemOf(failed.failure);
}

const BACKING_OFF = 1;

/** Applies the state of a pending call. While it waits for a retry, `attempt` is the next one. */
function takePending(call: SeenCall, activity: PendingActivity): void {
  Object.assign(call, attemptOf(activity));
  call.worker = activity.lastWorkerIdentity || null;
  call.started_at = activity.state === BACKING_OFF ? null : isoOf(activity.lastStartedTime);
}

/** The present or next attempt of a pending call. */
export function attemptOf(activity: PendingActivity): Pick<SeenCall, 'attempt' | 'earlier' | 'starts_at'> {
  const attempt = activity.attempt ?? 1;
  const waits = activity.state === BACKING_OFF && attempt > 1;
  return {
    attempt,
    earlier: problemOf(activity.lastFailure),
    starts_at: waits ? isoOf(activity.nextAttemptScheduleTime ?? activity.scheduledTime) : null,
  };
}

/** By number of Temporal's timeout type. They only occur if a worker was lost or hung. */
const TIMEOUTS: Record<number, AttemptProblem> = {
  1: { code: 'timeout.call', message: 'The worker did not end it in time' },
  2: { code: 'worker.unavailable', message: 'No worker took it up' },
  3: { code: 'timeout.step', message: 'All its attempts together took too long' },
  4: { code: 'timeout.call', message: 'The worker that ran it was lost' },
};

/** Our failures have the error code as their type; others keep Temporal's message. */
export function problemOf(failure: Failure): AttemptProblem | null {
  if (!failure) return null;
  const { applicationFailureInfo, timeoutFailureInfo, cause, message } = failure;
  if (applicationFailureInfo) return { code: applicationFailureInfo.type || 'internal.error', message: message ?? '' };
  const timeout = timeoutFailureInfo && TIMEOUTS[Number(timeoutFailureInfo.timeoutType)];
  return timeout ?? problemOf(cause) ?? { code: 'internal.error', message: message ?? 'It failed' };
}
