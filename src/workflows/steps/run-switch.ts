import type { Json } from '../../contracts/json.js';
import type { SwitchStep } from '../../contracts/plan.js';
import type { TaskRun } from '../task/task-run.js';
import { evaluateCondition } from './evaluate.js';
import { type Frame, frameInside } from './frame.js';
import { runSteps } from './run-steps.js';
import { skipStep } from './skip-step.js';

/**
 * Runs the steps of the first case that holds; those of the others are `skipped`.
 *
 * @returns the last output of what ran; null without a match. Source: docs/workflow-language.md#calls; docs/workflow-language.md#choices-and-ends.
 */
export async function runSwitch(run: TaskRun, { cases }: SwitchStep, path: string, frame: Frame): Promise<Json> {
  const chosen = cases.find((item) => item.if === undefined || evaluateCondition(run, item.if, frame));
  for (const { steps } of cases.filter((item) => item !== chosen)) {
    for (const step of steps) skipStep(run, step, `${path}/`);
  }
  return chosen ? runSteps(run, chosen.steps, frameInside(frame, path)) : null;
}
