import { AbilityError } from '../contracts/problem.js';
import type { HighLevel } from '../definitions/formats/high-level.js';
import type { BranchDefinition, ErrorHandlerDefinition, StepDefinition } from '../definitions/formats/steps.js';
import type { Loaded } from '../definitions/registry.js';

type Path = PropertyKey[];

/**
 * The ids of all steps of a workflow, wherever they stand, with their places.
 *
 * @throws AbilityError `definition.invalid` for one that is used twice: ids are unique in the file.
 */
export function collectIds(workflow: Loaded<HighLevel>): ReadonlyMap<string, Path> {
  const ids = new Map<string, Path>();
  const { steps, finally: cleanup = [], on_error = [] } = workflow.value;
  const found = [...inList(steps, ['steps']), ...inHandlers(on_error, ['on_error']), ...inList(cleanup, ['finally'])];
  for (const { id, path } of found) {
    if (!ids.has(id)) {
      ids.set(id, path);
      continue;
    }
    throw new AbilityError({
      code: 'definition.invalid',
      message: `The step id \`${id}\` is used twice`,
      location: workflow.locate(path),
      suggestion: 'Ids are unique in the file.',
    });
  }
  return ids;
}

interface Found {
  id: string;
  path: Path;
}

function* inList(steps: StepDefinition[], path: Path): Generator<Found> {
  for (const [index, step] of steps.entries()) {
    yield { id: step.id, path: [...path, index, 'id'] };
    yield* inStep(step, [...path, index]);
  }
}

function* inStep(step: BranchDefinition, path: Path): Generator<Found> {
  if ('steps' in step) yield* inList(step.steps, [...path, 'steps']);
  if ('parallel' in step) yield* inBranches(step.parallel, [...path, 'parallel']);
  if ('race' in step) yield* inBranches(step.race, [...path, 'race']);
  if ('switch' in step) {
    for (const [index, item] of step.switch.entries()) {
      const at = [...path, 'switch', index];
      yield* 'else' in item ? inList(item.else, [...at, 'else']) : inList(item.steps, [...at, 'steps']);
    }
  }
  yield* inHandlers(step.on_error ?? [], [...path, 'on_error']);
  yield* inList(step.finally ?? [], [...path, 'finally']);
}

function* inBranches(branches: Record<string, BranchDefinition>, path: Path): Generator<Found> {
  for (const [id, branch] of Object.entries(branches)) {
    yield { id, path: [...path, id] };
    yield* inStep(branch, [...path, id]);
  }
}

function* inHandlers(handlers: ErrorHandlerDefinition[], path: Path): Generator<Found> {
  for (const [index, { steps }] of handlers.entries()) yield* inList(steps ?? [], [...path, index, 'steps']);
}
