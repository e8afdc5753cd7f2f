import { AbilityError } from '../contracts/problem.js';
import type { HighLevel } from '../definitions/formats/high-level.js';
import type { BranchDefinition, ErrorHandlerDefinition, StepDefinition } from '../definitions/formats/steps.js';
import type { Loaded } from '../definitions/registry.js';
import type { Mistakes } from './definition-errors.js';

type Path = PropertyKey[];

/** Where a step stands. */
export interface StepPlace {
  path: Path;
  /** The steps of the innermost `foreach` around it: whoever reads it must stand there, too. */
  turn: Path | undefined;
}

/**
 * The ids of all steps of a workflow, wherever they stand, with their places.
 *
 * @param mistakes keeps `definition.invalid` for one that is used twice: ids are unique in the file.
 */
export function collectIds(workflow: Loaded<HighLevel>, mistakes: Mistakes): ReadonlyMap<string, StepPlace> {
  const ids = new Map<string, StepPlace>();
  const { steps, finally: cleanup = [], on_error = [] } = workflow.value;
  const found = [
    ...inList(steps, ['steps'], undefined),
    ...inHandlers(on_error, ['on_error'], undefined),
    ...inList(cleanup, ['finally'], undefined),
  ];
  for (const { id, path, turn } of found) {
    if (!ids.has(id)) {
      ids.set(id, { path, turn });
      continue;
    }
    const message = `The step id \`${id}\` is used twice`;
    const location = workflow.locate(path);
    const suggestion = 'Ids are unique in the file.';
    mistakes.keep(new AbilityError({ code: 'definition.invalid', message, location, suggestion }));
  }
  return ids;
}

interface Found extends StepPlace {
  id: string;
}

type Turn = StepPlace['turn'];

function* inList(steps: StepDefinition[], path: Path, turn: Turn): Generator<Found> {
  for (const [index, step] of steps.entries()) {
    yield { id: step.id, path: [...path, index, 'id'], turn };
    yield* inStep(step, [...path, index], turn);
  }
}

function* inStep(step: BranchDefinition, path: Path, turn: Turn): Generator<Found> {
  if ('steps' in step) {
    const inner = [...path, 'steps'];
    yield* inList(step.steps, inner, 'foreach' in step ? inner : turn);
  }
  if ('parallel' in step) yield* inBranches(step.parallel, [...path, 'parallel'], turn);
  if ('race' in step) yield* inBranches(step.race, [...path, 'race'], turn);
  if ('switch' in step) {
    for (const [index, item] of step.switch.entries()) {
      const at = [...path, 'switch', index];
      yield* 'else' in item ? inList(item.else, [...at, 'else'], turn) : inList(item.steps, [...at, 'steps'], turn);
    }
  }
  yield* inHandlers(step.on_error ?? [], [...path, 'on_error'], turn);
  yield* inList(step.finally ?? [], [...path, 'finally'], turn);
}

function* inBranches(branches: Record<string, BranchDefinition>, path: Path, turn: Turn): Generator<Found> {
  for (const [id, branch] of Object.entries(branches)) {
    yield { id, path: [...path, id], turn };
    yield* inStep(branch, [...path, id], turn);
  }
}

function* inHandlers(handlers: ErrorHandlerDefinition[], path: Path, turn: Turn): Generator<Found> {
  for (const [index, { steps }] of handlers.entries()) yield* inList(steps ?? [], [...path, index, 'steps'], turn);
}
