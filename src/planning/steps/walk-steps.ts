import type { HighLevel } from '../../definitions/formats/high-level.js';
import type { StepDefinition } from '../../definitions/formats/steps.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
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
  /** The steps around it, from the outermost to the innermost. */
  around: readonly DefinedStep[];
}

/** Every step of a workflow at any depth, in file order. */
export function* walkSteps(workflow: HighLevel): Generator<DefinedStep> {
  for (const list of listsOfWorkflow(workflow)) yield* inList(list, []);
}

/** Every step of every workflow of a project. */
export function* allDefinedSteps({ workflows }: Registry): Generator<DefinedStep & { workflow: Loaded<HighLevel> }> {
  for (const workflow of workflows.values()) {
    for (const defined of walkSteps(workflow.value)) yield { ...defined, workflow };
  }
}

function* inList(list: StepList, around: readonly DefinedStep[]): Generator<DefinedStep> {
  const outer = around.at(-1);
  const turn = list.part === 'item' ? [...(outer?.path ?? []), ...list.path] : outer?.turn;
  for (const [index, step] of list.steps.entries()) {
    const defined = { id: step.id, step, path: [...(outer?.path ?? []), ...placeInList(list, index)], turn, around };
    yield defined;
    for (const inner of listsInside(step)) yield* inList(inner, [...around, defined]);
  }
}
