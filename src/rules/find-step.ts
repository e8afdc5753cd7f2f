import type { ErrorHandler, PlanStep } from '../contracts/plan.js';
import { listSteps } from './inner-steps.js';

/** The steps of a task or of a workflow it calls. */
export interface StepTree {
  steps: readonly PlanStep[];
  finally: readonly PlanStep[];
  on_error?: readonly ErrorHandler[];
}

const known = new WeakMap<StepTree, Map<string, PlanStep>>();

/** The step a path leads to: ids are unique in a file, so its last name tells. Undefined for the task itself. */
export function findStep(tree: StepTree, path: string): PlanStep | undefined {
  let steps = known.get(tree);
  if (!steps) {
    steps = new Map(allSteps(tree).map(({ step }) => [step.id, step]));
    known.set(tree, steps);
  }
  return steps.get(path.slice(path.lastIndexOf('/') + 1));
}

/** Every step of a tree with its path, in the order in which they may run. */
export function allSteps({ steps, on_error = [], finally: cleanup }: StepTree): { step: PlanStep; path: string }[] {
  return [...listSteps(steps), ...on_error.flatMap((handler) => listSteps(handler.steps)), ...listSteps(cleanup)];
}
