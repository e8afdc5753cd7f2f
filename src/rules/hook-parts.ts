import type { Plan, PlanHandler, PlanHook, PlanHooks, PlanOperation, PlanScript } from '../contracts/plan.js';

/** The scripts that a handler starts: its own, or that of the ability which answers. */
export function scriptsOfHandler(handler: PlanHandler): PlanScript[] {
  if (handler.kind === 'script') return [handler.script];
  if (handler.kind !== 'ability') return [];
  const { implementation } = handler.operation;
  return implementation.kind === 'script' ? [implementation.script] : [];
}

/** The abilities that answer for the hooks of a plan. */
export function guardAbilitiesOf({ ability, operations, workflows = {} }: Plan): PlanOperation[] {
  const others = Object.values(workflows).map((workflow) => workflow.ability);
  const hooks = [ability, ...others, ...Object.values(operations)].flatMap((part) => hooksOf(part.hooks));
  return hooks.flatMap(({ handler }) => (handler.kind === 'ability' ? [handler.operation] : []));
}

function hooksOf({ pre_create, pre_call, post_call }: PlanHooks): PlanHook[] {
  return [...pre_create, ...pre_call, ...post_call];
}
