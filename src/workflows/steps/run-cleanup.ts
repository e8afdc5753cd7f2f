import { CancellationScope } from '@temporalio/workflow';
import type { PlanStep } from '../../contracts/plan.js';
import { CleanupBudget } from '../task/budget.js';
import { BranchStop } from '../task/stop-branches.js';
import type { Frame } from './frame.js';
import { EndOfTask, isStepFailure, isUnknown, placeOf, type StepFailure } from './step-failure.js';

/**
 * Runs every clean-up step, even if others fail; neither cancellation nor other branches stop them. They share a
 * limit of their own. Source: docs/workflow-language.md; docs/architecture.md#the-way-of-a-task. @returns the
 * first failure, or an unknown outcome; the others become warnings.
 */
export async function runCleanup(steps: readonly PlanStep[], frame: Frame): Promise<StepFailure | undefined> {
  const { run } = frame;
  const failures: StepFailure[] = [];
  const budget = new CleanupBudget(run.task.plan.limits);
  const inside: Frame = { ...frame, branchStop: new BranchStop(), budget, isCleanup: true };
  run.life.pendingWork += 1;
  try {
    await CancellationScope.nonCancellable(async () => {
      for (const step of steps)
        await frame.runStep(step, inside).catch((error: unknown) => {
          if (isStepFailure(error)) failures.push(error);
          else if (!(error instanceof EndOfTask)) throw error;
        });
    });
  } finally {
    run.life.pendingWork -= 1;
  }
  const worst = failures.find(isUnknown) ?? failures[0];
  for (const failure of failures) {
    if (failure !== worst) run.warnings.add(cleanupWarning(failure));
  }
  return worst;
}

export function cleanupWarning({ problem }: StepFailure): string {
  const place = placeOf(problem);
  return `Clean-up: ${place === undefined ? '' : `${place}: `}${problem.code}: ${problem.message}`;
}
