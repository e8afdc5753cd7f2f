import type { Effect } from '../../contracts/effects.js';
import type { Approvers, Plan, PlanHooks, PlanStep, PlanWorkflow } from '../../contracts/plan.js';
import { handlerKindOf } from '../hooks/handlers.js';
import { allSteps } from '../steps/step-tree.js';

/** One place at which a plan asks people, and whom. */
export interface AskedPlace {
  /** The workflow, of the plan or called by it, and the path of its step; `''`: before all of its steps. */
  ability: string;
  path: string;
  /** The called ability, or the title of an approval step as it is written. */
  what: string;
  /** Of the call; null: the step asks, or a hook of the workflow may. */
  effects: Effect | null;
  /** The hook that may ask, which depends on the input; null: it is always asked. */
  hook: string | null;
  approvers: Approvers;
  quorum: number;
  self_approval: boolean;
}

/** Where a plan asks people, whatever its input: hooks whose answer only a program knows are left out. */
export function whoIsAsked(plan: Plan): AskedPlace[] {
  const places = [plan, ...Object.values(plan.workflows ?? {})].flatMap((part) => placesOf(part, plan));
  return [...new Map(places.map((place) => [JSON.stringify(place), place])).values()];
}

function placesOf(part: PlanWorkflow, plan: Plan): AskedPlace[] {
  const { ability, agent } = part;
  const all = allSteps(part);
  const { approvers, quorum, self_approval } = plan.environment;
  const own = { approvers, quorum, self_approval, ability: ability.id, path: '', what: ability.id, effects: null };
  const calls: Call[] = [
    ...(ability.kind === 'operation' ? [{ path: '', call: ability.id }] : []),
    ...(agent?.tools ?? []).map((tool) => ({ path: '', call: tool.ability })),
    ...all.flatMap(({ step, path }) => callsOf(step, path)),
  ];
  return [
    ...askingHooks(ability.hooks).map((hook) => ({ ...own, hook })),
    ...all.flatMap(({ step, path }) => approvalOf(step, { ...own, path, hook: null })),
    ...calls.flatMap((call) => askedFor(call, plan, own)),
  ];
}

function approvalOf(step: PlanStep, place: AskedPlace): AskedPlace[] {
  if (step.verb !== 'approval') return [];
  const { title, approvers = place.approvers, quorum = place.quorum } = step.approval;
  return [{ ...place, what: title, approvers, quorum }];
}

interface Call {
  path: string;
  call: string;
  /** It asks whatever its effects are. */
  isAsked?: boolean;
}

function askedFor({ path, call, isAsked }: Call, plan: Plan, own: Omit<AskedPlace, 'hook'>): AskedPlace[] {
  const operation = plan.operations[call];
  if (!operation) return [];
  const place = { ...own, path, what: call, effects: operation.effects };
  if (isAsked || plan.environment.approve.includes(operation.effects)) return [{ ...place, hook: null }];
  return askingHooks(operation.hooks).map((hook) => ({ ...place, hook }));
}

/** The calls of a step. That of an undo is covered by the approval of its call, unless it asks itself. */
function callsOf(step: PlanStep, path: string): Call[] {
  if (step.verb !== 'call') return [];
  const { call, undo } = step;
  const asked = undo?.approval ? [{ path: `${path}.undo`, call: undo.call, isAsked: true }] : [];
  return [{ path, call }, ...asked];
}

function askingHooks({ pre_create, pre_call }: PlanHooks): string[] {
  return [...pre_create, ...pre_call].flatMap(({ id, handler }) =>
    handlerKindOf(handler).isSeenToAsk(handler) ? [id] : [],
  );
}
