import type { RoutingDecision, Targets } from '../../contracts/routing.js';
import { answersLater, wantsSubAgent } from './asks-for.js';
import { chooseAgent } from './choose-agent.js';
import { clamp } from './clamp.js';
import { shortened } from './focus.js';
import { act, clarify, NO_AGENT, questionAbout, respond } from './propose.js';
import { type CheckValue, readAnswer } from './read-answer.js';
import { chooseByRules } from './rules-router.js';
import { type Deciding, type Proposal, type RouterInput, USUAL_THRESHOLD } from './targets.js';

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
export interface DecideInput extends Deciding {
  targets: Targets;
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
  const { targets, check, threshold = USUAL_THRESHOLD, router: _, signal: __, ...known } = given;
  const { lane } = known.focus;
  // A caller may have long messages, from a store of its own.
  const focus = { ...known.focus, lane: { ...lane, window: shortened(lane.window) } };
  const latest = focus.lane.window.at(-1);
  const input: RouterInput = { ...known, ...targets, focus, text: latest?.text ?? '', threshold };
  const settled = latest?.role === 'user' ? await stageA(input, check) : NOTHING;
  if (settled) {
    const { continuation, ...proposal } = settled;
    return { ...clamp(proposal, input, 'rules'), stage: 'a', router: 'rules', continuation };
  }
  const { proposal, by, notes } = await choose(input, given);
  const decided = clamp(proposal, input, by === 'model' ? 'model' : 'rules');
  return { ...decided, stage: 'b', router: by, continuation: null, clamped: [...notes, ...decided.clamped] };
}

/** What rules alone decide. */
type Settled = Proposal & Pick<RoutingDecision, 'continuation'>;

const NOTHING: Settled = {
  ...respond(1, 'No person wrote it, so it asks for nothing'),
  references: { refersTo: 'latest', refersToReason: 'It is data' },
  continuation: null,
};

/**
 * Stage A: what needs no router. A selection or value goes to what waits for it; an explicit sub-agent takes the
 * focus, even if something is pending. Undefined: the router decides.
 * Source: R-003-04, R-003-05, R-003-23; docs/choosing.md#deciding.
 */
async function stageA(input: RouterInput, check: CheckValue): Promise<Settled | undefined> {
  const { text, focus } = input;
  const { pending } = focus;
  const value = pending && !answersLater(text, focus) ? readAnswer(text, pending, check) : undefined;
  // A text that as a whole is the awaited value counts as that, even if a label names a sub-agent.
  if (!pending || value === undefined) return wantsSubAgent(text) ? toSubAgent(input) : undefined;
  return {
    ...respond(1, 'It is exactly the value that is awaited'),
    references: { refersTo: 'pending', refersToReason: `${pending.kind} waits for it` },
    continuation: { kind: pending.kind, value, pending },
  };
}

/** The sub-agent gets the focus, never the pending item. */
async function toSubAgent(input: RouterInput): Promise<Settled> {
  const { focus, text } = input;
  const references = { refersTo: 'focus_anchor', refersToReason: 'A sub-agent takes over the latest request' } as const;
  const agentId = focus.anchor && (await chooseAgent(input, `${text}\n${focus.anchor.snippet}`));
  const question = focus.anchor ? NO_AGENT : questionAbout(focus.candidates, 'What should the sub-agent do?');
  const proposal = agentId
    ? act({ agentId }, 0.95, 'A sub-agent was asked for')
    : clarify('It is not clear what goes to whom', question, 0.95);
  return { ...proposal, references, continuation: null };
}

/** Stage B. */
async function choose(input: RouterInput, { router, signal }: DecideInput) {
  if (!router) return { proposal: await chooseByRules(input), by: 'rules', notes: [] } as const;
  try {
    return { proposal: await router.choose(input, signal), by: 'model', notes: [] } as const;
  } catch (error) {
    if (!(error instanceof RouterFault)) throw error;
    return { proposal: await chooseByRules(input), by: 'fallback', notes: [error.message] } as const;
  }
}
