import { CancellationScope, CancelledFailure } from '@temporalio/workflow';
import type { Problem } from '../../contracts/problem.js';
import { isUnknown, StepFailure } from '../steps/step-failure.js';
import { startOfMessage } from '../steps/step-notes.js';
import type { Warnings } from '../task/warnings.js';

/** The cause of a cut: `details.cause` of its `outcome.unknown`. */
export type Cause = Pick<Problem, 'code' | 'message' | 'step'> & { path?: string };

export interface LostCall {
  problem: Problem;
  /** Whether the task itself ended it. */
  wasCut: boolean;
  /** Whether the definition has `cut: allowed`. */
  mayBeCut: boolean;
  limit: StepFailure | undefined;
}

/** The calls of a task with an unknown outcome, and why they were cut. */
export class LostCalls {
  /** Loop items with such a call, with the failure as listed in their loop's account. */
  private readonly items: { problem: Problem; path: string; listed: Pick<Problem, 'message'> | undefined }[] = [];
  private readonly cut = new Set<Problem>();

  constructor(private readonly warnings: Warnings) {}

  /** Records a failed loop item if its problem is an unknown outcome. */
  noteItem(problem: Problem | undefined, path: string, listed: Pick<Problem, 'message'> | undefined): void {
    if (problem?.code === 'outcome.unknown') this.items.push({ problem, path, listed });
  }

  /**
   * Decides the outcome of a call that could not be determined. A call is cut when it is ended at work: by a won
   * race, a failed branch, a timeout or the task's cancellation. One that had not begun or had already ended loses
   * nothing, and a repeatable one is merely cancelled. Any other may have had its effect: its outcome and that of
   * the task are unknown, unless its author wrote `cut: allowed`.
   * @returns a cancellation or its limit if it may be cut, else `outcome.unknown`.
   */
  endOf({ problem, wasCut, mayBeCut, limit }: LostCall): Error {
    const unknown = new StepFailure(problem);
    if (!wasCut) return unknown;
    // Only the code that cancelled the surrounding scope knows the cause, and adds it.
    const isCancelled = CancellationScope.current().consideredCancelled;
    if (mayBeCut && isCancelled) return new CancelledFailure('Cut, as its author allowed');
    if (mayBeCut && limit) return limit;
    if (isCancelled) this.cut.add(problem);
    if (!isCancelled && limit) this.explain(unknown, causeOf(limit.problem));
    return unknown;
  }

  /**
   * Adds the cause to a failure with an unknown outcome; leaves other errors unchanged. The first cause stays,
   * except the task's cancellation: the caller of a called task knows its cause.
   */
  explain(error: unknown, cause: Cause): void {
    if (!isUnknown(error)) return;
    addCause(error.problem, cause);
    // Of several items cut at once only one is thrown; the others inside have the same cause.
    const isInside = (path: string): boolean => cause.path === undefined || path.startsWith(`${cause.path}/`);
    const explained = new Set([error.problem]);
    for (const { problem, path, listed } of this.items) {
      if (!explained.has(problem) && this.cut.has(problem) && isInside(path)) addCause(problem, cause);
      explained.add(problem);
      if (listed) listed.message = startOfMessage(problem.message);
    }
    for (const problem of this.warnings.lost.values()) {
      const { path } = (problem.details ?? {}) as { path?: string };
      if (explained.has(problem) || !this.cut.has(problem)) continue;
      if (path !== undefined && isInside(path)) addCause(problem, cause);
    }
  }

  /** Adds the task's cancellation as the cause, unless something in the task cut the call before. */
  explainCancellation(error: unknown): void {
    if (!CancellationScope.current().consideredCancelled) return;
    this.explain(error, { code: CANCELLED, message: 'The task was cancelled' });
  }
}

const CANCELLED = 'task.cancelled';

export function causeOf({ code, message, step, details }: Problem): Cause {
  const { path } = (details ?? {}) as { path?: string };
  return { code, message, ...(step !== undefined && { step }), ...(path !== undefined && { path }) };
}

function addCause(problem: Problem, cause: Cause): void {
  const { cause: before, ...details } = (problem.details ?? {}) as { cause?: Cause };
  if (before && before.code !== CANCELLED) return;
  const message = before ? problem.message.replace(suffixFor(before), '') : problem.message;
  problem.message = message + (message.endsWith(cause.message) ? `; it was cut by ${cause.code}` : suffixFor(cause));
  problem.details = { ...details, cause: { ...cause } };
}

function suffixFor({ code, message }: Cause): string {
  return `; it was cut by ${code}: ${message}`;
}
