import { EFFECTS, type Effect } from '../../contracts/effects.js';
import type { JsonObject } from '../../contracts/json.js';
import { AbilityError, invalidDefinition } from '../../contracts/problem.js';
import { abilityIds, type Composite, loadedComposite } from '../../definitions/find-ability.js';
import type { HighLevel } from '../../definitions/formats/high-level.js';
import type { StepDefinition } from '../../definitions/formats/steps.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { listsInside, listsOfWorkflow, placeInList, type StepList } from '../../definitions/step-lists.js';
import { didYouMean } from '../../text/nearest.js';

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

export interface Call {
  id: string;
  path: PropertyKey[];
}

/** Every call of a workflow, those of `undo` included, and all that an agent may call. */
export function* callsOf(composite: Composite): Generator<Call> {
  if (composite.type === 'agent') {
    for (const [index, id] of composite.operations.entries()) yield { id, path: ['operations', index] };
    return;
  }
  yield* stepCalls(composite);
}

/** The calls of a workflow's steps and of their `undo`, with what they pass. */
export function* stepCalls(workflow: HighLevel): Generator<Call & { with?: JsonObject | string | undefined }> {
  for (const { step, path } of walkSteps(workflow)) {
    if (step.verb !== 'call') continue;
    yield { id: step.call, with: step.with, path: [...path, 'call'] };
    if (step.undo) yield { id: step.undo.call, with: step.undo.with, path: [...path, 'undo', 'call'] };
  }
}

/** The ids under `operations`; without such a list, those that steps call. No duplicates. */
export function allowedCalls(composite: Composite): string[] {
  return [...new Set(composite.operations ?? [...callsOf(composite)].map(({ id }) => id))];
}

/** By definitions alone, without planning. @param unknown of an undefined ability; null: that could do anything. */
export function definedEffects<Unknown extends Effect | null = null>(
  registry: Registry,
  id: string,
  unknown = null as Unknown,
  seen: Set<string> = new Set(),
): Effect | Unknown {
  const operation = registry.operations.get(id);
  if (operation) return operation.value.effects;
  const composite = loadedComposite(registry, id);
  if (!composite || seen.has(id)) return composite ? 'read' : unknown;
  seen.add(id);
  const effects = [...callsOf(composite.value)].map((call) => definedEffects(registry, call.id, unknown, seen));
  return effects.some((effect) => effect === null) ? unknown : gravestOf(effects);
}

/** `read` if there are none. */
export function gravestOf(effects: readonly (Effect | null)[]): Effect {
  return EFFECTS.findLast((effect) => effects.includes(effect)) ?? 'read';
}

/**
 * Only registered and whitelisted abilities may be called. Source: R-000-19, R-000-38. @param path of the call.
 * @throws AbilityError `definition.unknown_reference`, `definition.invalid`, or the error of the called ability.
 * @returns the callee if it is a task of its own: a workflow or an agent.
 */
export function checkCallee(
  registry: Registry,
  workflow: Loaded<HighLevel>,
  id: string,
  path: PropertyKey[],
): Composite | undefined {
  const broken = registry.broken.get(`ability:${id}`);
  if (broken) throw new AbilityError(broken);
  const composite = loadedComposite(registry, id)?.value;
  const location = workflow.locate(path);
  if (!composite && !registry.operations.has(id)) {
    throw new AbilityError({
      code: 'definition.unknown_reference',
      message: `There is no ability \`${id}\``,
      location,
      suggestion: didYouMean(id, abilityIds(registry)),
    });
  }
  const whitelist = workflow.value.operations;
  if (whitelist && !whitelist.includes(id)) {
    throw invalidDefinition(
      `\`${id}\` is not among the \`operations\` of this workflow`,
      location,
      'Add it to `operations`.',
    );
  }
  return composite;
}
