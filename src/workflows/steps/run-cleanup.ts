import { CancellationScope } from '@temporalio/workflow';
import type { PlanStep } from '../../contracts/plan.js';
import { isSinceEngine2 } from '../../rules/engine.js';
import { isUnknown } from '../calls/cut.js';
import { CleanupBudget } from '../task/budget.js';
import { Halt } from '../task/halt.js';
import type { TaskRun } from '../task/task-run.js';
import type { Frame } from './frame.js';
import { EndOfTask, isStepFailure, placeOf, type StepFailure } from './step-failure.js';

/**
 * Runs clean-up steps, each one whatever became of the others, beyond the reach of cancellation and of other branches.
 *
 * All of them together have a limit of their own. Source: docs/workflow-language.md; docs/architecture.md#the-way-of-a-task.
 *
 * @returns the first failure, or one whose outcome is not known; the others become warnings.
 */
export async function runCleanup(
  run: TaskRun,
  steps: readonly PlanStep[],
  frame: Frame,
): Promise<StepFailure | undefined> {
  const failures: StepFailure[] = [];
  const budget = new CleanupBudget(run.plan.limits.cleanup_ms);
  const inside: Frame = { ...frame, halt: new Halt(), budget, isCleanup: true };
  run.atWork += 1;
  try {
    await CancellationScope.nonCancellable(async () => {
      for (const step of steps) await runOne(run, step, inside, failures);
    });
  } finally {
    run.atWork -= 1;
  }
  const told = (isSinceEngine2(run.plan) && failures.find(isUnknown)) || failures[0];
  for (const failure of failures) {
    if (failure !== told) run.warnings.push(cleanupWarning(failure));
  }
  return told;
}

/** The warning of a clean-up that failed beside another failure. */
export function cleanupWarning({ problem }: StepFailure): string {
  const place = placeOf(problem);
  return `Clean-up: ${place === undefined ? '' : `${place}: `}${problem.code}: ${problem.message}`;
}

async function runOne(run: TaskRun, step: PlanStep, frame: Frame, failures: StepFailure[]): Promise<void> {
  try {
    await frame.runStep(run, step, frame);
  } catch (error) {
    if (error instanceof EndOfTask) return;
    if (!isStepFailure(error)) throw error;
    failures.push(error);
  }
}
