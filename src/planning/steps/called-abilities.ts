import { EFFECTS, type Effect } from '../../contracts/effects.js';
import { AbilityError } from '../../contracts/problem.js';
import { abilityIds, type Composite, loadedComposite } from '../../definitions/find-ability.js';
import type { HighLevel } from '../../definitions/formats/high-level.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { didYouMean } from '../../text/nearest.js';
import { walkSteps } from './walk-steps.js';

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
  for (const { step, path } of walkSteps(composite)) {
    if (step.verb !== 'call') continue;
    yield { id: step.call, path: [...path, 'call'] };
    if (step.undo) yield { id: step.undo.call, path: [...path, 'undo', 'call'] };
  }
}

/** The ids under `operations`; without such a list, those that steps call. No duplicates. */
export function allowedCalls(composite: Composite): string[] {
  return [...new Set(composite.operations ?? [...callsOf(composite)].map(({ id }) => id))];
}

/** By definitions alone, without planning; null if it calls an undefined ability, which could do anything. */
export function definedEffects(registry: Registry, id: string, seen: Set<string> = new Set()): Effect | null {
  const operation = registry.operations.get(id);
  if (operation) return operation.value.effects;
  const composite = loadedComposite(registry, id);
  if (!composite || seen.has(id)) return composite ? 'read' : null;
  seen.add(id);
  const effects = [...callsOf(composite.value)].map((call) => definedEffects(registry, call.id, seen));
  return effects.includes(null) ? null : (EFFECTS.findLast((effect) => effects.includes(effect)) ?? 'read');
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
    throw new AbilityError({
      code: 'definition.invalid',
      message: `\`${id}\` is not among the \`operations\` of this workflow`,
      location,
      suggestion: 'Add it to `operations`.',
    });
  }
  return composite;
}
