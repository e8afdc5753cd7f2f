import { EFFECTS, type Effect } from '../../contracts/effects.js';
import type { Registry } from '../../definitions/registry.js';
import { callsOf } from '../../planning/steps/called-abilities.js';

/** The gravest effect of an ability: that of an operation, or of what a workflow and those that it calls may do. */
export function effectOf(registry: Registry, id: string, seen: Set<string> = new Set()): Effect {
  if (seen.has(id)) return 'read';
  seen.add(id);
  const operation = registry.operations.get(id);
  if (operation) return operation.value.effects;
  const workflow = registry.workflows.get(id);
  const effects = workflow ? [...callsOf(workflow.value)].map((call) => effectOf(registry, call.id, seen)) : [];
  return EFFECTS.findLast((effect) => effects.includes(effect)) ?? 'read';
}
