import type { JsonObject } from '../../contracts/json.js';
import type { Plan, PlanHandler, PlanHook, PlanHooks, PlanOperation, PlanScript } from '../../contracts/plan.js';
import { childPlan } from '../../rules/plans/child-plan.js';

/** The script that a handler runs, either directly or through an ability; empty for other handlers. */
export function scriptsOfHandler(handler: PlanHandler): PlanScript[] {
  if (handler.kind === 'script') return [handler.script];
  if (handler.kind !== 'ability') return [];
  const { implementation } = handler.operation;
  return implementation.kind === 'script' ? [implementation.script] : [];
}

export function guardAbilitiesOf({ ability, operations, workflows = {} }: Plan): PlanOperation[] {
  const others = Object.values(workflows).map((workflow) => workflow.ability);
  const hooks = [ability, ...others, ...Object.values(operations)].flatMap((part) => hooksOf(part.hooks));
  return hooks.flatMap(({ handler }) => (handler.kind === 'ability' ? [handler.operation] : []));
}

/** Replaces the abilities that handlers call. Parts without such hooks keep their identity. */
export function withGuardAbilities(plan: Plan, replace: (operation: PlanOperation) => PlanOperation): Plan {
  const inHook = (hook: PlanHook): PlanHook => {
    const { handler } = hook;
    return handler.kind === 'ability'
      ? { ...hook, handler: { ...handler, operation: replace(handler.operation) } }
      : hook;
  };
  const within = <Part extends { hooks: PlanHooks }>(part: Part): Part => {
    if (!hooksOf(part.hooks).some(({ handler }) => handler.kind === 'ability')) return part;
    const { pre_create, pre_call, post_call } = part.hooks;
    const hooks = {
      pre_create: pre_create.map(inHook),
      pre_call: pre_call.map(inHook),
      post_call: post_call.map(inHook),
    };
    return { ...part, hooks };
  };
  const { ability, operations, workflows } = plan;
  return {
    ...plan,
    ability: within(ability),
    operations: mapValues(operations, within),
    ...(workflows && { workflows: mapValues(workflows, (each) => ({ ...each, ability: within(each.ability) })) }),
  };
}

function mapValues<Value>(of: Record<string, Value>, change: (value: Value) => Value): Record<string, Value> {
  return Object.fromEntries(Object.entries(of).map(([key, value]) => [key, change(value)]));
}

function hooksOf({ pre_create, pre_call, post_call }: PlanHooks): PlanHook[] {
  return [...pre_create, ...pre_call, ...post_call];
}

interface GuardedPart {
  plan: Plan;
  /** Undefined for a workflow. */
  operation: PlanOperation | undefined;
  path: string;
  input: JsonObject;
}

/** What PreAbilityCreate checks: the task, and all that it may call. Source: docs/hooks.md#preabilitycreate. */
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
