import type { ErrorHandler, PlanAgent, PlanStep } from '../../contracts/plan.js';
import { memoize } from '../../text/memoize.js';
import { listSteps } from './inner-steps.js';
import { generalPath, nameOfStep } from './turn-paths.js';

export interface StepTree {
  steps: readonly PlanStep[];
  finally: readonly PlanStep[];
  on_error?: readonly ErrorHandler[];
  /** Set for an agent, whose steps are its turns. */
  agent?: PlanAgent;
}

/** By last name, which is unique in a file, or in its template. Undefined for the task itself. */
export function findStep(tree: StepTree, path: string): PlanStep | undefined {
  const steps = stepsByName(tree);
  return steps.get(generalPath(path)) ?? steps.get(nameOfStep(path));
}

const stepsByName = memoize((tree: StepTree): Map<string, PlanStep> => {
  const all = allSteps(tree);
  // The path of a template's step never equals an id.
  const ofTemplates = all.filter(({ step }) => step.id.includes('/'));
  return new Map([
    ...all.map(({ step }) => [step.id, step] as const),
    ...ofTemplates.map(({ step, path }) => [path, step] as const),
  ]);
});

/** Every step of a tree with its path, in the order in which they may run. */
export function allSteps({ steps, on_error = [], finally: cleanup }: StepTree): { step: PlanStep; path: string }[] {
  return [...listSteps(steps), ...on_error.flatMap((handler) => listSteps(handler.steps)), ...listSteps(cleanup)];
}
