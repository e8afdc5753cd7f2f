import { ApplicationFailure, CancelledFailure, CompleteAsyncError } from '@temporalio/activity';
import type { RetryPolicy } from '@temporalio/common';
import { type Effect, isRepeatable } from '../contracts/effects.js';
import type { HookAnswer } from '../contracts/hooks.js';
import { AbilityError, type Problem } from '../contracts/problem.js';
import { RETRY } from '../rules/calls/call-limits.js';
import { codeMatchesAny, isRetryableCode } from '../rules/calls/error-families.js';
import { askRetryCondition, jittered, type RetryVerdict, withNote } from '../rules/steps/retry-condition.js';
import { factsOf } from './call/call-failure.js';

/** Failure messages are not spilled by the codec, so a long one would sit in the history. */
const MAX_CHARACTERS = 4000;

/** Facts that decide whether a failed attempt is retried. */
export interface RetryFacts {
  effects: Effect;
  /** The step's own list, where it has one. */
  errors: readonly string[] | undefined;
  /** The step's own condition, with the version of the plan's expressions. */
  condition?: { source: string; cel: string } | undefined;
  /** The wait before the next attempt, if it differs from the retry policy. */
  delayMs?: number | undefined;
  /** Number of this attempt, from 1. */
  attempt: number;
  /** Attempts that may still follow this one. */
  attemptsLeft: number;
  /** Whether an earlier attempt may have had its effect although it failed. */
  unclearBefore: boolean;
  /** Whether an earlier attempt was made and answered, and its answer could not be used. */
  arrivedBefore: boolean;
  /** Answers of the hooks inside the attempt. */
  hooks: readonly HookAnswer[];
}

/**
 * An error as Temporal carries it: our code as type, the problem as details, retryable if the effect allows.
 *
 * A call that must not be repeated and may have taken place is `outcome.unknown`. Source:
 * docs/architecture.md#the-way-of-a-task.
 *
 * @param context added to the details, if there are no retry facts.
 */
export function toFailure(error: unknown, facts?: RetryFacts, context: object = {}): Error {
  if (error instanceof CancelledFailure || error instanceof CompleteAsyncError) return error;
  if (error instanceof ApplicationFailure) return error;
  const seen = problemOf(error);
  if (!facts) return failureOf(seen, { retryable: false }, error, context);
  const known = factsOf(error);
  const isUnknown = (facts.unclearBefore || known.unclear) && !isRepeatable(facts.effects);
  // A step that has used up its time has none for another attempt either.
  const isFinal = seen.code === 'timeout.step' || known.isFinal;
  // A completed, non-repeatable call is repeated only where its author declares it.
  const isDone = known.isAnswer || (known.hasArrived && !isRepeatable(facts.effects));
  const isAsked = !isDone || codeMatchesAny(seen.code, facts.errors ?? []);
  const mayFollow = facts.attemptsLeft > 0 && !isFinal && isAsked && isRetryableCode(seen.code, facts.errors);
  const { again, note } = mayFollow ? askCondition(seen, facts) : { again: false };
  const problem = withNote(seen, note);
  const told = {
    attempt: facts.attempt,
    ...(isUnknown && { unclear: true }),
    ...(isUnknown && isTimeUp(problem.code) && { cut: true }),
    ...(known.isAnswer && { answer: true }),
    ...((known.hasArrived || facts.arrivedBefore) && { arrived: true }),
    ...(facts.hooks.length > 0 && { hooks: facts.hooks }),
  };
  const next = { retryable: again, delayMs: again ? facts.delayMs : undefined };
  return failureOf(isUnknown && !again ? unknownOutcome(problem) : problem, next, error, { ...context, ...told });
}

/** Evaluated where the attempt ended, so that it costs no event: a failure that it rejects is not retried. */
function askCondition(problem: Problem, { condition, attempt }: RetryFacts): RetryVerdict {
  return condition ? askRetryCondition(condition.source, problem, attempt, condition.cel) : { again: true };
}

/** Whether a call was ended because its time was up. */
function isTimeUp(code: string): boolean {
  return code === 'timeout.call' || code === 'timeout.step';
}

/** The problem behind an error; an error of our own is `internal.error`. */
export function problemOf(error: unknown): Problem {
  if (error instanceof AbilityError) return error.toProblem();
  const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return { code: 'internal.error', message };
}

/** The failure of a call whose outcome could not be determined, with the last problem seen. */
export function unknownOutcome(seen: Problem): Problem {
  return {
    code: 'outcome.unknown',
    message: `The call had started, and how it ended could not be learnt: ${seen.message}`,
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
  // The stack of an expected failure is of no use, and would be in every history.
  if (isOurs) failure.stack = '';
  return failure;
}

/**
 * The wait before the next attempt, where it is a random part of the policy's interval.
 *
 * Carried by the failure of the attempt, so that it costs no event. Milliseconds.
 */
export function jitteredDelay(policy: RetryPolicy | undefined, attempt: number, random = Math.random): number {
  const { initialInterval, backoffCoefficient = RETRY.factor, maximumInterval } = policy ?? {};
  // An activity sees the times of its policy as numbers, however they were written.
  const first = typeof initialInterval === 'number' ? initialInterval : RETRY.firstMs;
  const most = typeof maximumInterval === 'number' ? maximumInterval : Math.max(RETRY.maxMs, first);
  return jittered(Math.min(first * backoffCoefficient ** (attempt - 1), most), random);
}
