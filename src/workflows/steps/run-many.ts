import { CancellationScope } from '@temporalio/workflow';
import type { OnFailure } from '../../contracts/plan.js';
import type { Problem } from '../../contracts/problem.js';
import type { StepProgress } from '../../contracts/task.js';
import { isSinceEngine2 } from '../../rules/engine.js';
import { type Cause, causeOf, explain, isUnknown } from '../calls/cut.js';
import { Halt } from '../task/halt.js';
import type { TaskRun } from '../task/task-run.js';
import type { Frame } from './frame.js';
import { Halted, isStepFailure, keepFailure, keptFailure, placeOf, type StepFailure } from './step-failure.js';

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
 * all others run, also in a later run of the task, which does not do again what failed. Then the first failure is thrown,
 * or one whose outcome is not known. Source: docs/workflow-language.md#at-once.
 *
 * @param path of the step that they belong to, whose entry keeps which of them failed.
 */
export async function runMany(
  run: TaskRun,
  path: string,
  count: number,
  { most, onFailure }: Manner,
  inside: Frame,
  work: (index: number, frame: Frame) => Promise<void>,
): Promise<void> {
  const halt = new Halt(inside.halt);
  const frame = { ...inside, halt };
  const entry = run.progress[path] as StepProgress;
  const failed = new Set(entry.failed?.items);
  let first: { error: unknown } | undefined = entry.failed && { error: keptFailure(entry.failed) };
  let goesOn = false;
  let next = 0;
  const scope = onFailure === 'cancel' ? new CancellationScope() : undefined;
  const outer = CancellationScope.current();
  let cause: Cause | undefined;
  const fail = (index: number, error: unknown): void => {
    if (cause) explain(run, error, cause);
    if (!first ? !(error instanceof Halted) : isUnknown(error) && !isUnknown(first.error)) first = { error };
    else keepUnknown(run, error);
    if (error instanceof Halted && run.rollingOver) goesOn = true;
    if (onFailure === 'finish' && isStepFailure(error)) {
      noteFailed(run, path, index, isStepFailure(first?.error) ? first.error : error);
      return;
    }
    halt.trip();
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
        halt.check();
        await work(index, frame);
      } catch (error) {
        fail(index, error);
      }
    }
  };
  const lanes = (): Promise<unknown> => Promise.all(Array.from({ length: Math.min(most, count) }, lane));
  await (scope ? scope.run(lanes) : lanes());
  halt.done();
  // What failed is not the end of the others, which go on in the next run.
  if (goesOn && onFailure === 'finish' && isStepFailure(first?.error) && isSinceEngine2(run.plan)) throw new Halted();
  if (first) throw first.error;
  inside.halt.check();
}

/** So the next run of the task, should there be one, neither repeats nor forgets it. */
function noteFailed(run: TaskRun, path: string, index: number, failure: StepFailure): void {
  if (!isSinceEngine2(run.plan)) return;
  const entry = run.progress[path] as StepProgress;
  const items = entry.failed?.items ?? [];
  items.push(index);
  entry.failed = { items, ...keepFailure(failure) };
}

/** The warnings so far, each once; those of lost outcomes with what is known by now of what cut the call. */
export function warningsNow({ warnings, lostBeside, newWarnings }: TaskRun): string[] {
  const now = warnings.map((said) => {
    const problem = lostBeside.get(said);
    const warning = problem ? warningOf(problem) : said;
    if (warning !== said) newWarnings.set(warning, said);
    return warning;
  });
  return [...new Set(now)];
}

function warningOf(problem: Problem): string {
  return `${placeOf(problem) ?? 'A call'}: ${problem.code}: ${problem.message}`;
}

/** An outcome that could not be learnt is told, whatever else becomes of the step. */
export function keepUnknown(run: TaskRun, error: unknown): void {
  if (!isUnknown(error)) return;
  const warning = warningOf(error.problem);
  run.warnings.push(warning);
  run.lostBeside.set(warning, error.problem);
}
