import type { PlanStep } from '../../contracts/plan.js';
import { isSinceEngine2 } from '../../rules/engine.js';
import { innerSteps } from '../../rules/inner-steps.js';
import { nameOfStep } from '../../rules/step-name.js';
import { turnsAtHand } from '../loops/turn-counts.js';
import type { TaskRun } from '../task/task-run.js';

/**
 * Lets expressions see a step that an earlier run of the task, or the task that this one tries again, has done.
 *
 * Plans of engine 1 do not see again what ran inside a `repeat` in it.
 */
export function recallStep(run: TaskRun, step: PlanStep, path: string): void {
  run.recall(path, step.id);
  if (isSinceEngine2(run.plan)) recallInside(run, step, path);
}

function recallInside(run: TaskRun, step: PlanStep, path: string): void {
  for (const { steps, isRepeated } of innerSteps(step)) {
    for (const prefix of isRepeated ? lastTurnsOf(run, step, path) : [`${path}/`]) {
      for (const inner of steps) {
        const at = prefix + nameOfStep(inner.id);
        if (run.progress[at]) run.recall(at, inner.id);
        recallInside(run, inner, at);
      }
    }
  }
}

/** Those of a `foreach` are not seen from outside. */
function lastTurnsOf({ progress }: TaskRun, { verb }: PlanStep, path: string): string[] {
  const entry = progress[path];
  return verb === 'repeat' && entry ? turnsAtHand(entry).map((turn) => `${path}/${turn}/`) : [];
}
