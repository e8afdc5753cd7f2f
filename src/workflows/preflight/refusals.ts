import { ApplicationFailure } from '@temporalio/workflow';
import type { Problem } from '../../contracts/problem.js';
import type { Refusal } from '../../contracts/task.js';
import { type RefusedIn, readActivityFailure } from '../steps/step-failure.js';

/** Why preflight refused, and where; undefined for a cancellation and for errors that are none of ours. */
export function readRefusal(error: unknown): { problem: Problem; at: RefusedIn | undefined } | undefined {
  const end = readActivityFailure(error);
  if (end.kind === 'other') return undefined;
  if (end.kind === 'timeout') {
    const message = `The preflight did not end in time (${end.type}); nothing was run`;
    const suggestion = 'Start it again; `ability doctor` checks the workers.';
    return { problem: { code: 'worker.unavailable', message, suggestion }, at: undefined };
  }
  return { problem: end.problem, at: end.refusedIn };
}

/** The failure with which a task ends that could not be formed. Source: R-000-71 to R-000-73. */
export function unavailable({ code, message, suggestion, details, location }: Problem): ApplicationFailure {
  const refusal: Refusal = {
    status: 'unavailable',
    code,
    reason: message,
    suggestion: suggestion ?? null,
    ...(details !== undefined && { details }),
    ...(location && { location }),
  };
  const failure = ApplicationFailure.create({
    type: code,
    message: `${code}: ${message}`.slice(0, 2000),
    nonRetryable: true,
    details: [refusal],
  });
  failure.stack = '';
  return failure;
}
