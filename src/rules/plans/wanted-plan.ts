import type { Plan } from '../../contracts/plan.js';
import { AbilityError } from '../../contracts/problem.js';
import type { WantedPlan } from '../../contracts/task.js';
import { digestOf } from '../canonical.js';
import { hasTools, planDigest, withoutPins } from './plan-digest.js';

/** More would not fit into the failure of a workflow. */
const MAX_PARTS = 60;
/** Enough digits to distinguish a changed part. */
const PART_DIGITS = 8;
/** Digits of a digest in messages. */
const SHOWN = 12;

/** The plan that would run, compared with the wanted one. */
export interface FoundPlan {
  plan: Plan;
  /** Digest of the input, with defaults applied. */
  input: string;
}

/** Digests of the found plan in `plan.changed`, so that the owner of the other one can find the difference. */
export interface PlanChange {
  ability: string;
  wanted: WantedPlan;
  found: { plan: string; input: string };
  /** First digits of the digest of each part; left out where there are too many. */
  parts?: Record<string, string>;
}

/** @throws AbilityError `plan.changed` for another input than the one that was planned. */
export function refuseOtherInput(wanted: WantedPlan | undefined, { plan, input }: FoundPlan): void {
  if (wanted?.input === undefined || wanted.input === input) return;
  const message = `The input is not the one that was planned: its digest is ${input.slice(0, SHOWN)}, not ${wanted.input.slice(0, SHOWN)}; nothing was created or changed`;
  throw changed(message, plan, { wanted, found: { plan: planDigest(plan), input } });
}

/**
 * Refuses other definitions than those that were planned.
 *
 * A plan is named by its digest before its tools are pinned (`ability plan`), or by the one that was sealed with their
 * pins (the `digest` of an earlier result). Before pinning, a plan with tools is given the benefit of the doubt.
 *
 * @param isPinned whether the tools are pinned, as far as they can be. @throws AbilityError `plan.changed`.
 */
export function refuseOtherPlan(wanted: WantedPlan | undefined, { plan, input }: FoundPlan, isPinned: boolean): void {
  if (!wanted) return;
  const unpinned = planDigest(plan);
  if (unpinned === wanted.plan || (isPinned ? digestOf(plan) === wanted.plan : hasTools(plan))) return;
  const parts = partsOf(plan);
  const { ability, environment } = plan;
  const message = `What would run is not what was planned: ${ability.id} in ${environment.name} has the plan ${unpinned.slice(0, SHOWN)}, not ${wanted.plan.slice(0, SHOWN)}; nothing was created or changed`;
  throw changed(message, plan, { wanted, found: { plan: unpinned, input }, ...(parts && { parts }) });
}

function changed(message: string, { ability, environment }: Plan, details: Omit<PlanChange, 'ability'>): AbilityError {
  return new AbilityError({
    code: 'plan.changed',
    message,
    details: { ability: ability.id, ...details } satisfies PlanChange,
    suggestion: `Look at what would run now: ability plan ${ability.id} --env ${environment.name}.`,
  });
}

/** Whether a task that holds a key has the plan that is wanted under it. */
export function isWantedPlan(wanted: WantedPlan | undefined, held: { plan: string; unpinned?: string }): boolean {
  return !wanted || wanted.plan === held.plan || wanted.plan === held.unpinned;
}

/** Short digests of the parts of a plan, before its tools are pinned. Undefined for a plan of too many. */
export function partsOf(plan: Plan): Record<string, string> | undefined {
  const { operations, workflows = {}, ...rest } = withoutPins(plan);
  const entries: [string, unknown][] = [
    ...Object.entries(rest),
    ...Object.entries(operations).map(([key, part]): [string, unknown] => [`operations.${key}`, part]),
    ...Object.entries(workflows).map(([id, part]): [string, unknown] => [`workflows.${id}`, part]),
  ];
  if (entries.length > MAX_PARTS) return undefined;
  return Object.fromEntries(
    entries.flatMap(([name, part]) => (part === undefined ? [] : [[name, digestOf(part).slice(0, PART_DIGITS)]])),
  );
}
