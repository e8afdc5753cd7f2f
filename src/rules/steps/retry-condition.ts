import type { Json, JsonObject } from '../../contracts/json.js';
import { AbilityError, type Problem } from '../../contracts/problem.js';
import { defined } from '../../text/defined.js';
import { evaluateCondition } from '../expressions/condition.js';

/** Scope of `retry.if`: the error of an attempt, and its number, from 1. */
export const RETRY_NAMES = ['error', 'attempt'] as const;

/** Whether another attempt follows, and a note if the condition itself failed. */
export interface RetryVerdict {
  again: boolean;
  note?: string;
}

/**
 * Evaluates a `retry.if` for a failed attempt; one that yields neither true nor false, or fails, stops the retries.
 *
 * @param cel the version of the plan, where a history may have to replay.
 */
export function askRetryCondition(source: string, error: Problem, attempt: number, cel: string): RetryVerdict {
  try {
    return { again: evaluateCondition(source, { error: seenOf(error), attempt }, { cel }) };
  } catch (thrown) {
    if (!(thrown instanceof AbilityError)) throw thrown;
    return { again: false, note: `not tried again, since \`retry.if\` failed: ${thrown.message}` };
  }
}

/** A failure as `steps.<id>.error` shows it. */
function seenOf({ code, message, step, details, suggestion }: Problem): JsonObject {
  return { code, message, ...defined({ step, details: details as Json | undefined, suggestion }) };
}

/** A problem with a note at the end of its message. */
export function withNote(problem: Problem, note: string | undefined): Problem {
  return note === undefined ? problem : { ...problem, message: `${problem.message} (${note})` };
}

/** A wait with `jitter`: from half of it up to all of it, so that `max` still is the longest. Whole milliseconds. */
export function jittered(ms: number, random: () => number): number {
  return Math.round((ms * (1 + random())) / 2);
}
