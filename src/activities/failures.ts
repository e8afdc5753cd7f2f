import { ApplicationFailure, CancelledFailure, CompleteAsyncError, Context } from '@temporalio/activity';
import type { RetryPolicy } from '@temporalio/common';
import { type Effect, isRepeatable } from '../contracts/effects.js';
import type { HookAnswer } from '../contracts/hooks.js';
import { ACTIVITY_LIMITS } from '../contracts/names.js';
import { AbilityError, type Problem } from '../contracts/problem.js';
import { RETRY } from '../rules/calls/call-defaults.js';
import { codeMatchesAny, isRetryableCode } from '../rules/calls/error-families.js';
import { askRetryCondition, jittered, type RetryVerdict, withNote } from '../rules/steps/retry-condition.js';
import { factsOf } from './call/call-failure.js';

/** The codec does not move failure messages to the store, so a long one would stay in the history. */
const MAX_CHARACTERS = 4000;

export interface RetryFacts {
  effects: Effect;
  /** The step's own list of error codes to retry; undefined: it has none. */
  errors: readonly string[] | undefined;
  /** The step's own retry condition. */
  condition?: string | undefined;
  /** The wait before the next attempt, if it differs from the retry policy. */
  delayMs?: number | undefined;
  /** Number of this attempt, from 1. */
  attempt: number;
  attemptsLeft: number;
  /** Whether an earlier attempt may have had its effect although it failed. */
  unclearBefore: boolean;
  /** Whether an earlier attempt was made and answered, and its answer could not be used. */
  arrivedBefore: boolean;
  hooks: readonly HookAnswer[];
}

/**
 * Converts an error for Temporal: our code as type, the problem as details, retryable if the effect allows. A call
 * that must not be repeated and may have taken place becomes `outcome.unknown`. @param context added to the details, if there are no retry facts.
 */
export function toFailure(error: unknown, facts?: RetryFacts, context: object = {}): Error {
  if (error instanceof CancelledFailure || error instanceof CompleteAsyncError) return error;
  if (error instanceof ApplicationFailure) return error;
  const seen = problemOf(error);
  if (!facts) return failureOf(seen, { retryable: false }, error, context);
  const known = factsOf(error);
  const isUnknown = (facts.unclearBefore || known.unclear) && !isRepeatable(facts.effects);
  // A step whose time is up has none left for another attempt.
  const isFinal = seen.code === 'timeout.step' || known.isFinal;
  // A completed, non-repeatable call is retried only for codes that its author lists.
  const isDone = known.isAnswer || (known.hasArrived && !isRepeatable(facts.effects));
  const isCovered = !isDone || codeMatchesAny(seen.code, facts.errors ?? []);
  const mayFollow = facts.attemptsLeft > 0 && !isFinal && isCovered && isRetryableCode(seen.code, facts.errors);
  const { again, note } = mayFollow ? askCondition(seen, facts) : { again: false };
  const problem = withNote(seen, note);
  const retryFacts = {
    attempt: facts.attempt,
    ...(isUnknown && { unclear: true }),
    ...(isUnknown && (problem.code === 'timeout.call' || problem.code === 'timeout.step') && { cut: true }),
    ...(known.isAnswer && { answer: true }),
    ...((known.hasArrived || facts.arrivedBefore) && { arrived: true }),
    ...(facts.hooks.length > 0 && { hooks: facts.hooks }),
  };
  // As that of a lost attempt, or of an earlier start.
  const isSaid = problem.code === 'outcome.unknown';
  const next = { retryable: again, delayMs: again ? facts.delayMs : undefined };
  return failureOf(isUnknown && !again && !isSaid ? unknownOutcome(problem) : problem, next, error, {
    ...context,
    ...retryFacts,
  });
}

/** Evaluated in the activity, so that it costs no event; a failure that it rejects is not retried. */
function askCondition(problem: Problem, { condition, attempt }: RetryFacts): RetryVerdict {
  return condition ? askRetryCondition(condition, problem, attempt) : { again: true };
}

/** The problem behind an error; any error but an AbilityError becomes `internal.error`. */
export function problemOf(error: unknown): Problem {
  if (error instanceof AbilityError) return error.toProblem();
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { code: 'internal.error', message };
}

export function unknownOutcome(seen: Problem): Problem {
  return {
    code: 'outcome.unknown',
    message: `The call had started, but its outcome could not be determined: ${seen.message}`,
    details: { seen },
    suggestion: 'Check by hand whether the effect took place before you run anything again.',
  };
}

/** @param delayMs the wait before the next attempt; omitted: from the retry policy. */
function failureOf(
  problem: Problem,
  { retryable, delayMs }: { retryable: boolean; delayMs?: number | undefined },
  cause: unknown,
  context: object,
): ApplicationFailure {
  const message = problem.message.slice(0, MAX_CHARACTERS);
  const isOurs = cause instanceof AbilityError;
  const failure = ApplicationFailure.create({
    type: problem.code,
    message,
    nonRetryable: !retryable,
    details: [{ ...problem, message }, context],
    ...(delayMs !== undefined && { nextRetryDelay: delayMs }),
    ...(isOurs ? {} : { cause: cause as Error }),
  });
  // The stack of an expected failure is useless, and every history would contain it.
  if (isOurs) failure.stack = '';
  return failure;
}

/** Milliseconds before the next attempt, no fewer than `least`; carried by the attempt's failure, it costs no event. */
export function delayOf(policy: RetryPolicy | undefined, attempt: number, least: number, random?: () => number) {
  const { initialInterval, backoffCoefficient = RETRY.factor, maximumInterval } = policy ?? {};
  // Temporal gives activities the policy's times as numbers, however they were written.
  const first = typeof initialInterval === 'number' ? initialInterval : RETRY.firstMs;
  const max = typeof maximumInterval === 'number' ? maximumInterval : Math.max(RETRY.maxMs, first);
  const whole = Math.min(first * backoffCoefficient ** (attempt - 1), max);
  return Math.max(least, random ? jittered(whole, random) : whole);
}

/** Workflow id of an activity's task; of a called task, `<id of its caller>/<path of the call>`. */
export function taskOf({ info }: Context): string {
  return info.workflowExecution?.workflowId ?? '';
}

const BEAT_MS = ACTIVITY_LIMITS.heartbeat / 3;

interface ActivityOptions<Request> {
  /** Send heartbeats while the activity runs; ignored for a local activity. */
  beats?: boolean;
  /** Converts an error to the failure that Temporal carries; default: {@link toFailure}. */
  toError?: (error: unknown, request: Request, context: Context) => unknown;
}

/** Wraps a function as an activity: thrown errors become failures that Temporal carries. */
export function activityOf<Request, Answer>(
  work: (request: Request, context: Context) => Promise<Answer>,
  { beats = false, toError = (error) => toFailure(error) }: ActivityOptions<Request> = {},
): (request: Request) => Promise<Answer> {
  return async (request) => {
    const context = Context.current();
    const timer = beats && !context.info.isLocal ? setInterval(() => context.heartbeat(), BEAT_MS) : undefined;
    try {
      return await work(request, context);
    } catch (error) {
      throw toError(error, request, context);
    } finally {
      clearInterval(timer);
    }
  };
}
