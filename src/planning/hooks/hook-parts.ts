import type { JsonObject } from '../../contracts/json.js';
import type { Plan, PlanHook, PlanHooks, PlanOperation, PlanScript } from '../../contracts/plan.js';
import { kindOf } from '../../kinds/kinds.js';
import { handlerKindOf, hooksOf, scriptsOfHandler } from '../../rules/hooks/handlers.js';
import { childPlan } from '../../rules/plans/child-plan.js';

/** The hooks around the task, the workflows that it may call, and its operations. */
function hooksIn({ ability, operations, workflows = {} }: Plan): PlanHook[] {
  const others = Object.values(workflows).map((workflow) => workflow.ability);
  return [ability, ...others, ...Object.values(operations)].flatMap(({ hooks }) => hooksOf(hooks));
}

/** The scripts whose bytes a plan seals: those of its operations, then those of its hooks. */
export function scriptsOf(plan: Plan): PlanScript[] {
  const operations = Object.values(plan.operations);
  const own = operations.flatMap(({ implementation }) => kindOf(implementation).scripts(implementation));
  return [...own, ...hooksIn(plan).flatMap(({ handler }) => scriptsOfHandler(handler))];
}

export function guardAbilitiesOf(plan: Plan): PlanOperation[] {
  return hooksIn(plan).flatMap(({ handler }) => handlerKindOf(handler).ability(handler) ?? []);
}

/** Replaces the abilities that handlers call. Parts without such hooks keep their identity. */
export function withGuardAbilities(plan: Plan, replace: (operation: PlanOperation) => PlanOperation): Plan {
  const inHook = (hook: PlanHook): PlanHook => {
    const kind = handlerKindOf(hook.handler);
    const operation = kind.ability(hook.handler);
    return operation ? { ...hook, handler: kind.withAbility(hook.handler, replace(operation)) } : hook;
  };
  const within = <Part extends { hooks: PlanHooks }>(part: Part): Part => {
    if (!hooksOf(part.hooks).some(({ handler }) => handlerKindOf(handler).ability(handler))) return part;
    return { ...part, hooks: mapValues({ ...part.hooks }, (hooks) => hooks.map(inHook)) };
  };
  const { ability, operations, workflows } = plan;
  return {
    ...plan,
    ability: within(ability),
    operations: mapValues(operations, within),
    ...(workflows && { workflows: mapValues(workflows, (each) => ({ ...each, ability: within(each.ability) })) }),
  };
}

function mapValues<Key extends string, Value>(of: Record<Key, Value>, change: (value: Value) => Value) {
  return Object.fromEntries(Object.entries<Value>(of).map(([key, value]) => [key, change(value)])) as typeof of;
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
    return operations.map((operation) =>
      // The other one is that which is asked about lost calls.
      operation.key === root.ability.id
        ? { plan: root, operation, path: '', input }
        : { plan: root, operation, path: operation.key, input: {} },
    );
  }
  const called = Object.keys(root.workflows ?? {});
  return [
    { plan: root, operation: undefined, path: '', input },
    ...called.map((id) => ({ plan: childPlan(root, id), operation: undefined, path: id, input: {} })),
    ...operations.map((operation) => ({ plan: root, operation, path: operation.key, input: {} })),
  ];
}
