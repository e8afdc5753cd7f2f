import type { PlanStep } from '../../contracts/plan.js';
import { isLoop } from './step-kinds.js';
import { nameOfStep } from './turn-paths.js';

export interface InnerSteps {
  steps: readonly PlanStep[];
  /** Whether it runs once per turn, so that its paths contain the number of the turn. */
  isRepeated: boolean;
}

/** Every list of steps inside a step, including handlers and clean-ups, in the order in which they may run. */
export function innerSteps(step: PlanStep): InnerSteps[] {
  const lists = [...listsOfVerb(step), ...(step.on_error ?? []).map(({ steps }) => steps), step.finally ?? []];
  return lists
    .map((steps, index) => ({ steps, isRepeated: isLoop(step) && index === 0 }))
    .filter(({ steps }) => steps.length > 0);
}

function listsOfVerb(step: PlanStep): (readonly PlanStep[])[] {
  switch (step.verb) {
    case 'steps':
    case 'foreach':
    case 'repeat':
      return [step.steps];
    case 'parallel':
    case 'race':
      return [step.branches];
    case 'switch':
      return step.cases.map(({ steps }) => steps);
    case 'call':
    case 'approval':
    case 'wait':
    case 'let':
    case 'fail':
    case 'end':
      return [];
  }
}

/** Every step at any depth with its path, which has `*` in place of turn numbers. */
export function listSteps(steps: readonly PlanStep[], prefix = ''): { step: PlanStep; path: string }[] {
  return steps.flatMap((step) => {
    const path = prefix + nameOfStep(step.id);
    const inner = innerSteps(step).flatMap((list) => listSteps(list.steps, `${path}/${list.isRepeated ? '*/' : ''}`));
    return [{ step, path }, ...inner];
  });
}

/** The steps of one turn without those of nested loops; paths are relative to the turn. */
export function stepsOfTurn({ steps }: { steps: readonly PlanStep[] }): { step: PlanStep; path: string }[] {
  return listSteps(steps).filter(({ path }) => !path.includes('*'));
}

/** Like {@link listSteps}, without handlers and clean-ups. */
export function mainSteps(steps: readonly PlanStep[], prefix = ''): { step: PlanStep; path: string }[] {
  return steps.flatMap((step) => {
    const path = prefix + nameOfStep(step.id);
    const inner = listsOfVerb(step).flatMap((list) => mainSteps(list, `${path}/${isLoop(step) ? '*/' : ''}`));
    return [{ step, path }, ...inner];
  });
}
