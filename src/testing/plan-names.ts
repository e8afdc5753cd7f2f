import type { Plan, PlanHandler } from '../contracts/plan.js';

/** The names in a plan that a case may use. */
export interface PlanNames {
  /** Step id to verb. A low-level ability is one step: `run`. */
  steps: Map<string, string>;
  operations: Set<string>;
  /** Hook id to what answers for it. */
  hooks: Map<string, PlanHandler['kind']>;
}

/** Collects the names of a plan, wherever they stand in it: steps and hooks are told by their shape. */
export function namesOf(plan: Plan): PlanNames {
  const names: PlanNames = { steps: new Map(), operations: new Set(), hooks: new Map() };
  collect(plan, names);
  if (plan.ability.kind === 'operation') names.steps.set('run', 'call');
  return names;
}

function collect(value: unknown, names: PlanNames): void {
  if (value === null || typeof value !== 'object') return;
  if (!Array.isArray(value)) note(value as Record<string, unknown>, names);
  for (const item of Object.values(value)) collect(item, names);
}

function note({ id, verb, handler, key, implementation }: Record<string, unknown>, names: PlanNames): void {
  if (typeof id === 'string' && typeof verb === 'string') names.steps.set(id, verb);
  if (typeof key === 'string' && implementation) names.operations.add(key);
  const kind = (handler as PlanHandler | undefined)?.kind;
  if (typeof id === 'string' && kind !== undefined) names.hooks.set(id, kind);
}
