import type { PlanStep } from '../../contracts/plan.js';
import { listSteps } from '../../rules/inner-steps.js';
import type { TaskRun } from '../task/task-run.js';

/** Notes that a step does not run, and with it nothing inside it. @param prefix as of a frame. Source: docs/workflow-language.md. */
export function skipStep(run: TaskRun, step: PlanStep, prefix: string): void {
  for (const { step: inner, path } of listSteps([step], prefix)) {
    if (!path.includes('*')) run.note(path, inner.id, { status: 'skipped', output: null });
  }
}
