import type { HighLevel } from '../../definitions/formats/high-level.js';
import type { StepDefinition } from '../../definitions/formats/steps.js';
import { listsInside, listsOfWorkflow, placeInList, type StepList } from '../../definitions/step-lists.js';

type Path = PropertyKey[];

export interface StepPlace {
  path: Path;
  /** Path of the steps of the innermost `foreach` around it. Only expressions inside may read the step. */
  turn: Path | undefined;
}

export interface DefinedStep extends StepPlace {
  id: string;
  step: StepDefinition;
}

/** Every step of a workflow at any depth, in file order. */
export function* walkSteps(workflow: HighLevel): Generator<DefinedStep> {
  for (const list of listsOfWorkflow(workflow)) yield* inList(list, [], undefined);
}

function* inList(list: StepList, around: Path, turn: StepPlace['turn']): Generator<DefinedStep> {
  const innermost = list.part === 'item' ? [...around, ...list.path] : turn;
  for (const [index, step] of list.steps.entries()) {
    const path = [...around, ...placeInList(list, index)];
    yield { id: step.id, step, path, turn: innermost };
    for (const inner of listsInside(step)) yield* inList(inner, path, innermost);
  }
}
