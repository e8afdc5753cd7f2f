import { CancellationScope } from '@temporalio/workflow';
import type { OnFailure } from '../../contracts/plan.js';
import { type Cause, causeOf } from '../calls/lost-calls.js';
import { BranchStop } from '../task/stop-branches.js';
import type { Frame } from './frame.js';
import { BranchStopped, isStepFailure, isUnknown, keepFailure, keptFailure, type StepFailure } from './step-failure.js';
import type { StepStates } from './step-states.js';

export interface Manner {
  /** Maximum number under way at once. */
  max: number;
  /** Absent: `stop`. */
  onFailure: OnFailure | undefined;
}

/**
 * Does pieces of work in order, some at once. When one fails: `stop` starts nothing new, ends waits and lets calls
 * end; `cancel` cancels calls as well; `finish` lets all others run, even in a later run of the task, which does
 * not repeat failed ones. Then throws an unknown outcome, else the first failure. Source:
 * docs/workflow-language.md#parallel-steps-and-races. @param path of their step, whose entry lists the failed ones.
 */
export async function runMany(
  path: string,
  count: number,
  { max, onFailure }: Manner,
  inside: Frame,
  work: (index: number, frame: Frame) => Promise<void>,
): Promise<void> {
  const { run } = inside;
  const branchStop = new BranchStop(inside.branchStop);
  const frame = { ...inside, branchStop };
  const entry = run.steps.entry(path);
  const failed = new Set(entry.failed?.items);
  let first: { error: unknown } | undefined = entry.failed && { error: keptFailure(entry.failed) };
  let isCarriedOn = false;
  let next = 0;
  const scope = onFailure === 'cancel' ? new CancellationScope() : undefined;
  const outer = CancellationScope.current();
  let cause: Cause | undefined;
  const fail = (index: number, error: unknown): void => {
    if (cause) run.lost.explain(error, cause);
    if (!first ? !(error instanceof BranchStopped) : isUnknown(error) && !isUnknown(first.error)) first = { error };
    else run.warnings.addUnknown(error);
    if (error instanceof BranchStopped && run.life.rollingOver) isCarriedOn = true;
    if (onFailure === 'finish' && isStepFailure(error)) {
      noteFailed(run.steps, path, index, isStepFailure(first?.error) ? first.error : error);
      return;
    }
    branchStop.trip();
    if (!scope || !isStepFailure(error)) return;
    if (!outer.consideredCancelled) cause ??= causeOf(error.problem);
    scope.cancel();
  };
  const lane = async (): Promise<void> => {
    while (next < count) {
      const index = next;
      next += 1;
      if (failed.has(index)) continue;
      try {
        branchStop.check();
        await work(index, frame);
      } catch (error) {
        fail(index, error);
      }
    }
  };
  const lanes = (): Promise<unknown> => Promise.all(Array.from({ length: Math.min(max, count) }, lane));
  await (scope ? scope.run(lanes) : lanes());
  branchStop.done();
  // The others continue in the next run despite the failure.
  if (isCarriedOn && onFailure === 'finish' && isStepFailure(first?.error)) throw new BranchStopped();
  if (first) throw first.error;
  inside.branchStop.check();
}

/** The next run then neither repeats nor drops the failed item. */
function noteFailed(steps: StepStates, path: string, index: number, failure: StepFailure): void {
  const entry = steps.entry(path);
  const items = entry.failed?.items ?? [];
  items.push(index);
  entry.failed = { items, ...keepFailure(failure) };
}
