import type { FocusContext, RoutingDecision, Targets } from '../../contracts/routing.js';
import { type Settled, stageA } from './before-router.js';
import { clamp } from './clamp.js';
import { shortened } from './focus.js';
import { respond } from './propose.js';
import type { CheckValue } from './read-slot.js';
import { chooseByRules } from './rules-router.js';
import {
  type AccountFor,
  type Proposal,
  type RankTargets,
  type RouterInput,
  type ShortlistTargets,
  USUAL_THRESHOLD,
} from './targets.js';

/** Proposes an action for a request; the proposal is checked against the limits. Source: C-25. */
export interface Router {
  /** @throws RouterFault without a valid answer in time. */
  choose(input: RouterInput, signal?: AbortSignal): Promise<Proposal>;
}

/** Why a router has no answer: one sentence without a full stop, with nothing from an endpoint's response. */
export class RouterFault extends Error {
  override readonly name = 'RouterFault';
}

/** The request to decide about, and the candidates. */
export interface DecideInput {
  /** The last message of its lane is the request. */
  focus: FocusContext;
  targets: Targets;
  /** Ranks abilities for a text. */
  rank: RankTargets;
  /** Selects the abilities that a model gets if there are too many. */
  shortlist: ShortlistTargets;
  account: AccountFor;
  /** Throws an AbilityError if the value does not match the schema. */
  check: CheckValue;
  /** From 0 to 1; {@link USUAL_THRESHOLD} by default. */
  threshold?: number;
  /** Absent: rules decide. */
  router?: Router;
  signal?: AbortSignal;
}

/**
 * Decides about a thread's last message, if a person wrote it: Stage A by rules, then Stage B by a router, within
 * limits. If a model fails, rules decide. Source: R-003-01 to R-003-30; C-23 to C-27; docs/choosing.md#deciding.
 */
export async function decide(given: DecideInput): Promise<RoutingDecision> {
  const { targets, rank, shortlist, account, check, threshold = USUAL_THRESHOLD, router, signal } = given;
  const { lane } = given.focus;
  // A caller may have long messages, from a store of its own.
  const focus = { ...given.focus, lane: { ...lane, window: shortened(lane.window) } };
  const latest = focus.lane.window.at(-1);
  const input: RouterInput = { ...targets, focus, text: latest?.text ?? '', rank, shortlist, account, threshold };
  const settled = latest?.role === 'user' ? await stageA(input, check) : NOTHING;
  if (settled) {
    const { continuation, ...proposal } = settled;
    return { ...clamp(proposal, input, 'rules'), stage: 'a', router: 'rules', continuation };
  }
  const { proposal, by, notes } = await choose(input, router, signal);
  const decided = clamp(proposal, input, by === 'model' ? 'model' : 'rules');
  return { ...decided, stage: 'b', router: by, continuation: null, clamped: [...notes, ...decided.clamped] };
}

const NOTHING: Settled = {
  ...respond(1, 'No person wrote it, so it asks for nothing'),
  references: { refersTo: 'latest', refersToReason: 'It is data' },
  continuation: null,
};

async function choose(
  input: RouterInput,
  router: Router | undefined,
  signal: AbortSignal | undefined,
): Promise<{ proposal: Proposal; by: RoutingDecision['router']; notes: string[] }> {
  if (!router) return { proposal: await chooseByRules(input), by: 'rules', notes: [] };
  try {
    return { proposal: await router.choose(input, signal), by: 'model', notes: [] };
  } catch (error) {
    if (!(error instanceof RouterFault)) throw error;
    return { proposal: await chooseByRules(input), by: 'fallback', notes: [error.message] };
  }
}
