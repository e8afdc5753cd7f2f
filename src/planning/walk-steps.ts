import type { HighLevel } from '../definitions/formats/high-level.js';
import type { BranchDefinition, ErrorHandlerDefinition, StepDefinition } from '../definitions/formats/steps.js';

type Path = PropertyKey[];

/** Where a step stands. */
export interface StepPlace {
  path: Path;
  /** The steps of the innermost `foreach` around it: whoever reads it must stand there, too. */
  turn: Path | undefined;
}

/** A step as it is defined. */
export interface DefinedStep extends StepPlace {
  id: string;
  step: BranchDefinition;
}

type Turn = StepPlace['turn'];

/** Every step of a workflow, wherever it stands, in the order of the file. */
export function* walkSteps({ steps, on_error = [], finally: cleanup = [] }: HighLevel): Generator<DefinedStep> {
  yield* inList(steps, ['steps'], undefined);
  yield* inHandlers(on_error, ['on_error'], undefined);
  yield* inList(cleanup, ['finally'], undefined);
}

function* inList(steps: StepDefinition[], path: Path, turn: Turn): Generator<DefinedStep> {
  for (const [index, step] of steps.entries()) {
    yield { id: step.id, step, path: [...path, index], turn };
    yield* inStep(step, [...path, index], turn);
  }
}

function* inStep(step: BranchDefinition, path: Path, turn: Turn): Generator<DefinedStep> {
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

function* inBranches(branches: Record<string, BranchDefinition>, path: Path, turn: Turn): Generator<DefinedStep> {
  for (const [id, branch] of Object.entries(branches)) {
    yield { id, step: branch, path: [...path, id], turn };
    yield* inStep(branch, [...path, id], turn);
  }
}

function* inHandlers(handlers: ErrorHandlerDefinition[], path: Path, turn: Turn): Generator<DefinedStep> {
  for (const [index, { steps }] of handlers.entries()) yield* inList(steps ?? [], [...path, index, 'steps'], turn);
}
