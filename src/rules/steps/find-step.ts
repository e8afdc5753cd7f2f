import type { ErrorHandler, PlanAgent, PlanStep } from '../../contracts/plan.js';
import { memoize } from '../../text/memoize.js';
import { listSteps } from './inner-steps.js';
import { nameOfStep } from './step-name.js';
import { generalPath } from './turn-paths.js';

/** The steps of a task or of a workflow it calls. */
export interface StepTree {
  steps: readonly PlanStep[];
  finally: readonly PlanStep[];
  on_error?: readonly ErrorHandler[];
  /** For an agent: its steps are its turns. */
  agent?: PlanAgent;
}

/**
 * The step at a path. Ids are unique in a file, so the last name suffices, except for the steps of templates, whose
 * names are unique in their template. Undefined for the task itself.
 */
export function findStep(tree: StepTree, path: string): PlanStep | undefined {
  const steps = stepsByName(tree);
  return steps.get(generalPath(path)) ?? steps.get(nameOfStep(path));
}

const stepsByName = memoize((tree: StepTree): Map<string, PlanStep> => {
  const all = allSteps(tree);
  // No id is like the path of a step of a template.
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
