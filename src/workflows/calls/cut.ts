import { CancellationScope, CancelledFailure } from '@temporalio/workflow';
import type { Problem } from '../../contracts/problem.js';
import { isSinceEngine2 } from '../../rules/engine.js';
import { isStepFailure, StepFailure } from '../steps/step-failure.js';
import { startOfMessage } from '../steps/step-notes.js';
import type { TaskRun } from '../task/task-run.js';

/** What cut a call: `details.cause` of its `outcome.unknown`. */
export type Cause = Pick<Problem, 'code' | 'message' | 'step'> & { path?: string };

/** Whether an error says that the outcome of a call could not be learnt. */
export function isUnknown(error: unknown): error is StepFailure {
  return isStepFailure(error) && error.problem.code === 'outcome.unknown';
}

/** How a call ended whose outcome could not be learnt. */
export interface LostCall {
  problem: Problem;
  /** Whether it was we who ended it. */
  wasCut: boolean;
  /** Whether its author wrote `cut: allowed`. */
  mayBeCut: boolean;
  /** The limit it ran into, where it was one. */
  limit: StepFailure | undefined;
}

/**
 * Decides what a call comes to whose outcome could not be learnt.
 *
 * A call is cut when it is ended at work: a race was won, another branch failed, its time was up, the task was cancelled.
 * One that had not begun, or had ended before, loses nothing, and one that may be repeated is merely cancelled. What is
 * left may have had its effect: its outcome is not known, and neither is that of the task, unless its author wrote
 * `cut: allowed`. Source: docs/architecture.md#the-way-of-a-task.
 *
 * @returns the error it ends with: a cancellation or its limit where it may be cut, else `outcome.unknown`.
 */
export function endOfLost(run: TaskRun, { problem, wasCut, mayBeCut, limit }: LostCall): Error {
  const unknown = new StepFailure(problem);
  if (!isSinceEngine2(run.plan) || !wasCut) return unknown;
  // Who cancelled the scope around it says why, since only that place knows.
  const isCancelled = CancellationScope.current().consideredCancelled;
  if (mayBeCut && isCancelled) return new CancelledFailure('Cut, as its author allowed');
  if (mayBeCut && limit) return limit;
  if (isCancelled) run.cutProblems.add(problem);
  if (!isCancelled && limit) explain(run, unknown, causeOf(limit.problem));
  return unknown;
}

/** A failure as the cause of what it cut. */
export function causeOf({ code, message, step, details }: Problem): Cause {
  const { path } = (details ?? {}) as { path?: string };
  return { code, message, ...(step !== undefined && { step }), ...(path !== undefined && { path }) };
}

/**
 * Notes why a call was cut whose outcome is not known; anything else is left as it is.
 *
 * The first cause stays. Of a task that was called, a cancellation is none: its caller knows why.
 */
export function explain(run: TaskRun, error: unknown, cause: Cause): void {
  if (!isSinceEngine2(run.plan) || !isUnknown(error)) return;
  sayWhy(error.problem, cause);
  // Of several items that were cut at once only one is thrown; what cut it cut the others inside as well.
  const isInside = (path: string): boolean => cause.path === undefined || path.startsWith(`${cause.path}/`);
  const explained = new Set([error.problem]);
  for (const { problem, path, told } of run.lostItems) {
    if (!explained.has(problem) && run.cutProblems.has(problem) && isInside(path)) sayWhy(problem, cause);
    explained.add(problem);
    if (told) told.message = startOfMessage(problem.message);
  }
  for (const problem of run.lostBeside.values()) {
    const { path } = (problem.details ?? {}) as { path?: string };
    if (explained.has(problem) || !run.cutProblems.has(problem)) continue;
    if (path !== undefined && isInside(path)) sayWhy(problem, cause);
  }
}

function sayWhy(problem: Problem, cause: Cause): void {
  const { cause: before, ...details } = (problem.details ?? {}) as { cause?: Cause };
  if (before && before.code !== CANCELLED) return;
  const message = before ? problem.message.replace(saidOf(before), '') : problem.message;
  problem.message = message + (message.endsWith(cause.message) ? `; it was cut by ${cause.code}` : saidOf(cause));
  problem.details = { ...details, cause: { ...cause } };
}

function saidOf({ code, message }: Cause): string {
  return `; it was cut by ${code}: ${message}`;
}

const CANCELLED = 'task.cancelled';

/** Notes the cancellation of the task as the cause, where nothing inside it had cut the call before. */
export function explainCancellation(run: TaskRun, error: unknown): void {
  if (!CancellationScope.current().consideredCancelled) return;
  explain(run, error, { code: CANCELLED, message: 'The task was cancelled' });
}
