import type { CallRefusal, PlannedEntry } from '../../contracts/agent-runtime.js';
import { didYouMean } from '../../text/nearest.js';

/** What is known where a plan is checked. */
interface KnownCalls {
  /** Ids of the abilities that may be planned. */
  abilities: ReadonlySet<string>;
  /** By the ids of earlier plans: the ability and the digest of the input that each stands for. */
  made: ReadonlyMap<string, { call: string; ended: boolean }>;
  /** The digest of what an entry calls. */
  callOf(entry: PlannedEntry): string;
}

/** What is wrong with one entry of a plan; `id` null: with the plan as a whole. */
export interface PlanFault {
  id: string | null;
  refusal: CallRefusal;
}

/**
 * Checks that a plan is a graph of calls that can be made: no id twice, `after` names calls that there are, no circle, and abilities that were
 * offered. Source: R-000-79; docs/agents.md.
 *
 * @returns nothing where it can; an AI reads the faults, so each says what to do.
 */
export function checkGraph(plan: readonly PlannedEntry[], known: KnownCalls): PlanFault[] {
  const ids = new Set(plan.map(({ id }) => id));
  const faults = plan.flatMap((entry, index) => [
    ...(plan.findIndex(({ id }) => id === entry.id) < index ? [twice(entry)] : []),
    ...(known.abilities.has(entry.ability_id) ? [] : [unknownAbility(entry, known.abilities)]),
    ...reused(entry, known),
    ...(entry.after ?? [])
      .filter((before) => !ids.has(before) && !known.made.get(before)?.ended)
      .map((before) => unknownBefore(entry, before, ids)),
  ]);
  const circle = faults.length === 0 ? circleIn(plan) : undefined;
  return circle ? [...faults, circular(circle)] : faults;
}

function invalid(id: string | null, reason: string, suggestion: string): PlanFault {
  return { id, refusal: { code: 'planner.plan_invalid', reason, suggestion } };
}

function twice({ id }: PlannedEntry): PlanFault {
  return invalid(id, `Two calls of the plan have the id ${id}`, 'Give each call an id of its own.');
}

function unknownAbility({ id, ability_id }: PlannedEntry, abilities: ReadonlySet<string>): PlanFault {
  const suggestion = didYouMean(ability_id, [...abilities]) ?? 'Plan only ids that `abilities` lists.';
  const reason = `${ability_id} is not among the abilities that were offered, so it is not called`;
  return { id, refusal: { code: 'ability.not_found', reason, suggestion } };
}

/** An id stands for one call: the same one again is that very call. */
function reused(entry: PlannedEntry, { made, callOf }: KnownCalls): PlanFault[] {
  const before = made.get(entry.id);
  if (!before?.ended || before.call === callOf(entry)) return [];
  return [invalid(entry.id, `The id ${entry.id} is that of a call that has ended`, 'Give another call another id.')];
}

function unknownBefore({ id }: PlannedEntry, before: string, ids: ReadonlySet<string>): PlanFault {
  const suggestion = didYouMean(before, [...ids]) ?? 'Name an id of this plan, or of a call that has ended.';
  return invalid(id, `${id} comes after ${before}, and no call has that id`, suggestion);
}

function circular(ids: readonly string[]): PlanFault {
  return invalid(
    null,
    `These calls wait for each other: ${ids.join(', ')}`,
    'Leave out one `after` of them, so that one can begin.',
  );
}

/** Takes away what waits for nothing that is left; what remains waits for itself. */
function circleIn(plan: readonly PlannedEntry[]): string[] | undefined {
  const left = new Map(plan.map(({ id, after = [] }) => [id, after]));
  for (;;) {
    const free = [...left].filter(([, after]) => after.every((before) => !left.has(before)));
    for (const [id] of free) left.delete(id);
    if (left.size === 0) return undefined;
    if (free.length === 0) return [...left.keys()];
  }
}
