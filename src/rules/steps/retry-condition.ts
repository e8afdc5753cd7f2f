import type { Json, JsonObject } from '../../contracts/json.js';
import type { Problem } from '../../contracts/problem.js';
import { unlessRefused } from '../../text/attempt.js';
import { defined } from '../../text/defined.js';
import { evaluateCondition } from '../expressions/evaluate.js';

/** Names in `retry.if`: the error of the attempt, and its number, from 1. */
export const RETRY_NAMES = ['error', 'attempt'] as const;

/** Whether to retry; `note` says why the condition itself failed. */
export interface RetryVerdict {
  again: boolean;
  note?: string;
}

/** A `retry.if` that fails or is no boolean stops the retries. */
export function askRetryCondition(source: string, problem: Problem, attempt: number): RetryVerdict {
  const { code, message, step, details, suggestion } = problem;
  const error: JsonObject = { code, message, ...defined({ step, details: details as Json | undefined, suggestion }) };
  return unlessRefused(
    (): RetryVerdict => ({ again: evaluateCondition(source, { error, attempt }) }),
    ({ message }) => ({ again: false, note: `not tried again, since \`retry.if\` failed: ${message}` }),
  );
}

export function withNote(problem: Problem, note: string | undefined): Problem {
  return note === undefined ? problem : { ...problem, message: `${problem.message} (${note})` };
}

/** Half of the wait to all of it, so that `max` still holds. In whole milliseconds. */
export function jittered(ms: number, random: () => number): number {
  return Math.round((ms * (1 + random())) / 2);
}
