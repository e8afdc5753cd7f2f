import { type Context, heartbeat } from '@temporalio/activity';
import { TemporalFailure } from '@temporalio/common';
import { isRepeatable } from '../../contracts/effects.js';
import { ACTIVITY_LIMITS, TIMEOUT_MARGIN_MS } from '../../contracts/names.js';
import type { PlanOperation } from '../../contracts/plan.js';
import { AbilityError, type Problem } from '../../contracts/problem.js';
import { toFailure, unknownOutcome } from '../failures.js';
import { CallFailure, factsOf } from './call-failure.js';
import type { CallLog } from './call-log.js';

/** Interval of heartbeats; a call shorter than this sends none. */
const HEARTBEAT_MS = ACTIVITY_LIMITS.heartbeat / 4;

/** Heartbeat details for the next attempt: the outcome is unknown, or the answer was unusable. */
interface Left {
  /** Number of the last attempt that reported its end. */
  attempt?: number;
  unclear?: true;
  arrived?: true;
}

export interface Attempt {
  number: number;
  leftMs: number;
  /** Whether the limit is the step's remaining time rather than the implementation's timeout. */
  limitedByStep: boolean;
  /** Fires when the call is cancelled. */
  signal: AbortSignal;
  /** Fires when the call is cancelled, and when its time is up. */
  stop: AbortSignal;
  /** Whether an earlier attempt may have had its effect although it failed. */
  unclearBefore: boolean;
  /** Whether the attempt before this one did not report its end, and may have had its effect. */
  lostBefore: boolean;
  /** Whether an earlier attempt was made and answered, and its answer could not be used. */
  arrivedBefore: boolean;
  /** Records for the next attempt that this one ended, and whether it had, or may have had, its effect. */
  leave(left: Omit<Left, 'attempt'>): void;
  /** Stops the clock. */
  end(): void;
}

/** Sends heartbeats during all work of an attempt: admitting it may take longer than a heartbeat timeout. */
export async function whileBeating<T>({ info }: Context, work: () => Promise<T>): Promise<T> {
  const beat = (): void => heartbeat(info.heartbeatDetails);
  const timer = info.isLocal ? undefined : setInterval(beat, HEARTBEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/**
 * Starts the clock. @param isOnce the call must not be repeated: it may end at shutdown, and each of its attempts
 * that another one follows leaves its number.
 */
export function beginAttempt(context: Context, implementationMs: number, isOnce: boolean): Attempt {
  const { info } = context;
  const stepMs = stepLeft(context);
  const leftMs = Math.max(0, Math.min(implementationMs, stepMs));
  const cancelled = new AbortController();
  // Not AbortSignal.any and AbortSignal.timeout, see rules/any-abort-signal.ts.
  const stop = new AbortController();
  const clock = setTimeout(() => stop.abort(new Error('The time is up')), leftMs);
  context.cancelled.catch((error: unknown) => {
    const isShutdown = error instanceof Error && error.message === 'WORKER_SHUTDOWN';
    if (isShutdown && isOnce) return;
    cancelled.abort(error);
    stop.abort(error);
  });
  const before = (info.heartbeatDetails ?? {}) as Left;
  return {
    number: info.attempt,
    leftMs,
    limitedByStep: stepMs < implementationMs,
    signal: cancelled.signal,
    stop: stop.signal,
    unclearBefore: before.unclear === true,
    lostBefore: isOnce && info.attempt > 1 && before.attempt !== info.attempt - 1,
    arrivedBefore: before.arrived === true,
    leave: (left) => {
      if (!info.isLocal) heartbeat({ ...before, ...left, attempt: info.attempt });
    },
    end: () => clearTimeout(clock),
  };
}

/**
 * What is left when the attempt begins. What earlier ones took is the difference of two times of the same clock, the
 * server's, which the clock here may be far from. Temporal's limits exceed ours by a margin.
 */
function stepLeft({ info }: Context): number {
  const spent = Math.max(0, info.currentAttemptScheduledTimestampMs - info.scheduledTimestampMs);
  const whole = info.scheduleToCloseTimeoutMs || Number.POSITIVE_INFINITY;
  const one = info.startToCloseTimeoutMs || Number.POSITIVE_INFINITY;
  return Math.min(whole - spent, one) - TIMEOUT_MARGIN_MS;
}

/** An answer quoted in an error may repeat the credential that was sent. */
export function masked(error: unknown, log: CallLog): unknown {
  if (!(error instanceof AbilityError)) return maskedMistake(error, log);
  const { unclear, isFinal, hasArrived, isAnswer } = factsOf(error);
  return new CallFailure(log.maskProblem(error.toProblem()), { unclear, isFinal, hasArrived, isAnswer, cause: error });
}

/** Masks message and stack of an unexpected error; returns a failure of Temporal unchanged. */
function maskedMistake(error: unknown, log: CallLog): unknown {
  if (!(error instanceof Error) || error instanceof TemporalFailure) return error;
  const other = new Error(log.mask(error.message));
  other.name = error.name;
  if (error.stack !== undefined) other.stack = log.mask(error.stack);
  return other;
}

const CANCELLED_BEFORE: Problem = { code: 'outcome.unknown', message: 'an earlier attempt had not ended clearly' };

/** The cancellation, or `outcome.unknown` if the call is not repeatable and may have had its effect. */
export function cancelledBy(attempt: Attempt, error: unknown, operation: PlanOperation): unknown {
  const unclear = attempt.unclearBefore || attempt.lostBefore || factsOf(error).unclear;
  if (!unclear || isRepeatable(operation.effects)) return attempt.signal.reason;
  const seen = error instanceof AbilityError ? error.toProblem() : CANCELLED_BEFORE;
  return toFailure(new CallFailure(unknownOutcome(seen), { cause: error }), undefined, { cut: true });
}

/** Whether the outcome of a call is known despite a cancellation. */
export function isSettled(error: unknown): boolean {
  return error instanceof CallFailure && (error.hasArrived || error.code === 'outcome.unknown');
}

/** Turns `timeout.call` into `timeout.step` if the step's limit was the shorter one. */
export function limited(error: unknown, attempt: Attempt): unknown {
  if (!(error instanceof CallFailure && error.code === 'timeout.call' && attempt.limitedByStep)) return error;
  const message = `${error.message} (all the time the step had left)`;
  return new CallFailure(
    { ...error.toProblem(), code: 'timeout.step', message },
    { unclear: error.unclear, hasArrived: error.hasArrived, cause: error },
  );
}
