import { CancellationScope } from '@temporalio/workflow';
import type { OnFailure } from '../../contracts/plan.js';
import { type Cause, causeOf, explain, isUnknown } from '../cut.js';
import { Halt } from '../halt.js';
import { Halted, isStepFailure, placeOf } from '../step-failure.js';
import type { TaskRun } from '../task-run.js';
import type { Frame } from './frame.js';

/** How several pieces of work run beside each other. */
export interface Manner {
  /** Most that are under way at once. */
  most: number;
  /** Absent: `stop`. */
  onFailure: OnFailure | undefined;
}

/**
 * Does several pieces of work, in order, some at once.
 *
 * When one fails: `stop` starts nothing new, ends waits and lets calls end; `cancel` cancels calls as well; `finish` lets
 * all others run. Then the first failure is thrown, or one whose outcome is not known. Source: answers, "on_failure".
 */
export async function runMany(
  run: TaskRun,
  count: number,
  { most, onFailure }: Manner,
  inside: Frame,
  work: (index: number, frame: Frame) => Promise<void>,
): Promise<void> {
  const halt = new Halt(inside.halt);
  const frame = { ...inside, halt };
  let first: { error: unknown } | undefined;
  let next = 0;
  const scope = onFailure === 'cancel' ? new CancellationScope() : undefined;
  const outer = CancellationScope.current();
  let cause: Cause | undefined;
  const fail = (error: unknown): void => {
    if (cause) explain(run, error, cause);
    if (!first ? !(error instanceof Halted) : isUnknown(error) && !isUnknown(first.error)) first = { error };
    else keepUnknown(run, error);
    if (onFailure === 'finish' && isStepFailure(error)) return;
    halt.trip();
    if (!scope || !isStepFailure(error)) return;
    if (!outer.consideredCancelled) cause ??= causeOf(error.problem);
    scope.cancel();
  };
  const lane = async (): Promise<void> => {
    while (next < count) {
      const index = next;
      next += 1;
      try {
        halt.check();
        await work(index, frame);
      } catch (error) {
        fail(error);
      }
    }
  };
  const lanes = (): Promise<unknown> => Promise.all(Array.from({ length: Math.min(most, count) }, lane));
  await (scope ? scope.run(lanes) : lanes());
  halt.done();
  if (first) throw first.error;
  inside.halt.check();
}

/** An outcome that could not be learnt is told, whatever else becomes of the step. */
export function keepUnknown(run: TaskRun, error: unknown): void {
  if (!isUnknown(error)) return;
  run.warnings.push(`${placeOf(error.problem) ?? 'A call'}: ${error.problem.code}: ${error.problem.message}`);
}
