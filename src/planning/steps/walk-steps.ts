import type { HighLevel } from '../../definitions/formats/high-level.js';
import type { StepDefinition } from '../../definitions/formats/steps.js';
import { listsInside, listsOfWorkflow, placeInList, type StepList } from '../../definitions/step-lists.js';

type Path = PropertyKey[];

/** The place of a step. */
export interface StepPlace {
  path: Path;
  /** The steps of the innermost `foreach` around it: a reader of the step must be in them, too. */
  turn: Path | undefined;
}

/** A step as it is defined. */
export interface DefinedStep extends StepPlace {
  id: string;
  step: StepDefinition;
}

/** Every step of a workflow, at any depth, in the order of the file. */
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
