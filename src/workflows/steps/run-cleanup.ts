import { CancellationScope, isCancellation } from '@temporalio/workflow';
import type { PlanStep } from '../../contracts/plan.js';
import { Halt } from '../halt.js';
import { EndOfTask, isStepFailure, StepFailure } from '../step-failure.js';
import type { TaskRun } from '../task-run.js';
import type { Frame } from './frame.js';
import { runStep } from './run-step.js';

/**
 * Runs clean-up steps, each one whatever became of the others, beyond the reach of cancellation and of other branches.
 *
 * All of them together have a limit of their own. Source: design, sections 5 and 6.
 *
 * @returns the first failure; the others become warnings.
 */
export async function runCleanup(
  run: TaskRun,
  steps: readonly PlanStep[],
  frame: Frame,
): Promise<StepFailure | undefined> {
  const failures: StepFailure[] = [];
  const { cleanup_ms: limit } = run.start.plan.limits;
  await CancellationScope.nonCancellable(async () => {
    const inside: Frame = { ...frame, halt: new Halt() };
    try {
      await CancellationScope.withTimeout(limit, async () => {
        for (const step of steps) await runOne(run, step, inside, failures);
      });
    } catch (error) {
      if (!isCancellation(error)) throw error;
      const message = `The clean-up took longer than the ${limit / 60_000} min it may`;
      failures.push(new StepFailure({ code: 'timeout.cleanup', message, suggestion: 'Check what it left behind.' }));
    }
  });
  for (const { problem } of failures.slice(1)) run.warnings.push(`Clean-up: ${problem.code}: ${problem.message}`);
  return failures[0];
}

async function runOne(run: TaskRun, step: PlanStep, frame: Frame, failures: StepFailure[]): Promise<void> {
  try {
    await runStep(run, step, frame);
  } catch (error) {
    if (error instanceof EndOfTask) return;
    if (!isStepFailure(error)) throw error;
    failures.push(error);
  }
}
