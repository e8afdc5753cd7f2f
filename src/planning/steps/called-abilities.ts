import { EFFECTS, type Effect } from '../../contracts/effects.js';
import type { HighLevel } from '../../definitions/formats/high-level.js';
import type { Registry } from '../../definitions/registry.js';
import { walkSteps } from './walk-steps.js';

/** A call, where it is in its file. */
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

/** The abilities a workflow may call, each once: those it lists under `operations`, else those its steps name. */
export function allowedCalls(workflow: HighLevel): string[] {
  return [...new Set(workflow.operations ?? [...callsOf(workflow)].map(({ id }) => id))];
}

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
