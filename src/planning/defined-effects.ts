import { EFFECTS, type Effect } from '../contracts/effects.js';
import type { Registry } from '../definitions/registry.js';
import { callsOf } from './steps/called-abilities.js';

/**
 * The gravest effect of what an ability may call, by its definitions alone, whether or not it can be planned here; null where it calls what
 * is not defined, since that could be anything.
 */
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
