import type { Json } from '../../contracts/json.js';
import type { PlanStep } from '../../contracts/plan.js';
import type { TaskRun } from '../task/task-run.js';
import type { Frame } from './frame.js';

/** Runs steps in order. @returns the last output of what ran; null when nothing did. Source: docs/workflow-language.md#calls. */
export async function runSteps(run: TaskRun, steps: readonly PlanStep[], frame: Frame): Promise<Json> {
  let output: Json = null;
  for (const step of steps) {
    frame.halt.check();
    const ended = await frame.runStep(run, step, frame);
    if (ended.ran) output = ended.output;
  }
  return output;
}
