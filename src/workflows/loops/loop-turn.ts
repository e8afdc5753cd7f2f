import { isCancellation } from '@temporalio/workflow';
import type { FailureEnd, ItemName, LoopCounts } from '../../contracts/loops.js';
import type { PlanStep } from '../../contracts/plan.js';
import type { StepProgress } from '../../contracts/task.js';
import { nameOfStep } from '../../rules/steps/step-tree.js';
import { BranchStopped, EndOfTask, isStepFailure, locate, stepStatusOf } from '../steps/step-failure.js';
import type { StepStates } from '../steps/step-states.js';
import type { TaskRun } from '../task/task-run.js';
import { describeFailure, noteDone, noteFailed, openAccount } from './loop-account.js';
import { foldTurn } from './turn-counts.js';

export interface Turn {
  verb: LoopCounts['verb'];
  item: number;
  /** Label of the item for people; called only where the item is to be named. */
  labelOf: () => string | undefined;
  /** Path of the loop. */
  loop: string;
  id: string;
  /** The steps of the turn without nested loops' steps; paths are relative to it. */
  inner: readonly { step: PlanStep; path: string }[];
}

/** Notes that an item of a `foreach` has ended well, and drops its entries. */
export function endItem({ progress }: StepStates, turn: Turn, steps: readonly PlanStep[]): void {
  const { loop, item, inner } = turn;
  const entry = progress[loop] as StepProgress;
  const path = `${loop}/${item}`;
  const isSkipped = steps.every((step) => progress[`${path}/${nameOfStep(step.id)}`]?.status === 'skipped');
  noteDone(openAccount(entry), item, isSkipped);
  foldTurn(progress, entry, { path, inner, nameOf: () => nameOf(turn) });
}

/** Notes a turn that did not succeed, unless a new run continues it or it was stopped before anything began. */
export function failTurn({ steps, life, lost }: TaskRun, turn: Turn, error: unknown): void {
  const { loop, id, item, inner } = turn;
  const path = `${loop}/${item}`;
  if (error instanceof BranchStopped && life.rollingOver) return;
  const account = openAccount(steps.entry(loop));
  const failed = error instanceof EndOfTask ? error.failure : error;
  if (failed === undefined) {
    noteDone(account, item, false);
    return;
  }
  const problem = isStepFailure(failed) ? locate(failed, id, path).problem : undefined;
  const isStopped = error instanceof BranchStopped || isCancellation(error);
  if (isStopped && !inner.some((listed) => steps.progress[`${path}/${listed.path}`])) return;
  const status = problem ? stepStatusOf(problem.code) : isStopped ? 'cancelled' : 'failed';
  const failure = describeFailure(steps.progress, { ...nameOf(turn), path, inner }, status as FailureEnd, problem);
  noteFailed(account, failure);
  lost.noteItem(problem, failure.path, failure.error);
  // The steps of a `repeat` stay visible outside, as they were in the failed turn.
  if (turn.verb === 'repeat') return;
  foldTurn(steps.progress, account, { path, inner, nameOf: () => nameOf(turn), named: [failure.path] });
}

function nameOf({ item, labelOf }: Turn): ItemName {
  const label = labelOf();
  return { item, ...(label !== undefined && { label }) };
}
