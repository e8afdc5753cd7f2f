import { EFFECTS, type Effect } from '../../contracts/effects.js';
import { AbilityError } from '../../contracts/problem.js';
import { abilityIds } from '../../definitions/find-ability.js';
import type { HighLevel } from '../../definitions/formats/high-level.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { didYouMean } from '../../text/nearest.js';
import { walkSteps } from './walk-steps.js';

interface Call {
  id: string;
  path: PropertyKey[];
}

/** Every call of a workflow, those of `undo` included. */
export function* callsOf(workflow: HighLevel): Generator<Call> {
  for (const { step, path } of walkSteps(workflow)) {
    if (step.verb !== 'call') continue;
    yield { id: step.call, path: [...path, 'call'] };
    if (step.undo) yield { id: step.undo.call, path: [...path, 'undo', 'call'] };
  }
}

/** The ids under `operations`; without such a list, those that steps call. No duplicates. */
export function allowedCalls(workflow: HighLevel): string[] {
  return [...new Set(workflow.operations ?? [...callsOf(workflow)].map(({ id }) => id))];
}

/** By definitions alone, without planning; null if it calls an undefined ability, which could do anything. */
export function definedEffects(registry: Registry, id: string, seen: Set<string> = new Set()): Effect | null {
  const operation = registry.operations.get(id);
  if (operation) return operation.value.effects;
  const workflow = registry.workflows.get(id)?.value;
  const called = workflow ? [...callsOf(workflow)].map((call) => call.id) : registry.agents.get(id)?.value.operations;
  if (!called || seen.has(id)) return called ? 'read' : null;
  seen.add(id);
  const effects = called.map((other) => definedEffects(registry, other, seen));
  return effects.includes(null) ? null : (EFFECTS.findLast((effect) => effects.includes(effect)) ?? 'read');
}

/**
 * Only registered and whitelisted abilities may be called. Source: R-000-19, R-000-38. @param path of the call.
 * @throws AbilityError `definition.unknown_reference`, `definition.invalid`, or the error of the called ability.
 * @returns whether it is a task of its own: a workflow or an agent.
 */
export function checkCallee(registry: Registry, workflow: Loaded<HighLevel>, id: string, path: PropertyKey[]): boolean {
  const broken = registry.broken.get(`ability:${id}`);
  if (broken) throw new AbilityError(broken);
  const isComposite = registry.workflows.has(id) || registry.agents.has(id);
  const location = workflow.locate(path);
  if (!isComposite && !registry.operations.has(id)) {
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
  return isComposite;
}
