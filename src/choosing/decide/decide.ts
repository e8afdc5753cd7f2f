import type { FocusContext, RoutingDecision, Targets } from '../../contracts/routing.js';
import { withoutMiddle } from '../../rules/sessions/add-to-thread.js';
import { stageA } from './before-router.js';
import { clamp } from './clamp.js';
import { respond } from './propose.js';
import type { CheckValue } from './read-slot.js';
import { chooseByRules } from './rules-router.js';
import {
  type Proposal,
  type RankTargets,
  type RouterInput,
  type ShortlistTargets,
  USUAL_THRESHOLD,
} from './targets.js';

/** Proposes an action for a request; the proposal is checked against the limits. Source: C-25. */
export interface Router {
  /** @throws RouterFault where it has no answer that can be read in time. */
  choose(input: RouterInput, signal?: AbortSignal): Promise<Proposal>;
}

/** Why a router has no answer: one sentence without a full stop, with nothing from an endpoint's response. */
export class RouterFault extends Error {
  override readonly name = 'RouterFault';
}

/** The request to decide about, and the candidates. */
export interface DecideInput {
  /** Its last message is decided about. */
  focus: FocusContext;
  targets: Targets;
  /** How abilities fit a text. */
  rank: RankTargets;
  /** The selection that a model is offered if there are many. */
  shortlist: ShortlistTargets;
  /** Whether a value fits a schema; throws an AbilityError where it does not. */
  check: CheckValue;
  /** From 0 to 1; {@link USUAL_THRESHOLD} by default. */
  threshold?: number;
  /** Left out: the rules decide. */
  router?: Router;
  signal?: AbortSignal;
}

/**
 * Decides about the last message of a thread: Stage A, by rule; then Stage B, a router, within the limits. Only a message of a person is
 * decided about; nothing else counts as a request. If a model fails, the rules decide.
 *
 * Source: R-003-01 to R-003-30; C-23 to C-27; docs/choosing.md#deciding.
 */
export async function decide(given: DecideInput): Promise<RoutingDecision> {
  const { targets, rank, shortlist, check, threshold = USUAL_THRESHOLD, router, signal } = given;
  const focus = withoutLongTexts(given.focus);
  const latest = focus.lane.window.at(-1);
  const input: RouterInput = { ...targets, focus, text: latest?.text ?? '', rank, shortlist, threshold };
  if (latest?.role !== 'user') return { ...clamp(NOTHING, input), stage: 'a', router: 'rules', continuation: null };
  const ruled = stageA(input, check);
  if (ruled) {
    const { stage, router: by, continuation, ...proposal } = ruled;
    return { ...clamp(proposal, input), stage, router: by, continuation };
  }
  const { proposal, by, notes } = await choose(input, router, signal);
  const decided = clamp(proposal, input);
  return { ...decided, stage: 'b', router: by, continuation: null, clamped: [...notes, ...decided.clamped] };
}

/** Also where the caller has a store of messages of its own. */
function withoutLongTexts(focus: FocusContext): FocusContext {
  const { lane } = focus;
  const window = lane.window.map((message) => ({ ...message, text: withoutMiddle(message.text) }));
  return { ...focus, lane: { ...lane, window } };
}

const NOTHING: Proposal = {
  ...respond(1, 'No person wrote it, so it asks for nothing'),
  references: { refersTo: 'latest', refersToReason: 'It is data' },
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
