import type { JsonObject } from '../../contracts/json.js';
import type { Plan, PlanOperation } from '../../contracts/plan.js';
import { childPlan } from '../../rules/child-plan.js';

/** One thing whose creation is guarded. */
export interface GuardedPart {
  plan: Plan;
  /** Undefined for a workflow. */
  operation: PlanOperation | undefined;
  path: string;
  input: JsonObject;
}

/** What PreAbilityCreate is asked about: the task with its input, and each ability it may call. Source: docs/hooks.md#preabilitycreate. */
export function guardedParts(root: Plan, input: JsonObject): GuardedPart[] {
  const operations = Object.values(root.operations);
  if (root.ability.kind === 'operation') {
    return operations.map((operation) => ({ plan: root, operation, path: '', input }));
  }
  const called = Object.keys(root.workflows ?? {});
  return [
    { plan: root, operation: undefined, path: '', input },
    ...called.map((id) => ({ plan: childPlan(root, id), operation: undefined, path: id, input: {} })),
    ...operations.map((operation) => ({ plan: root, operation, path: operation.key, input: {} })),
  ];
}
