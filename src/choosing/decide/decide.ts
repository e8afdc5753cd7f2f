import { isReading } from '../../contracts/effects.js';
import type { RoutingDecision, Targets } from '../../contracts/routing.js';
import { shorten } from '../../text/shorten.js';
import { isLooking, unusedWords } from '../account-for.js';
import { shareWord } from '../words.js';
import { actOf, answersLater, answerToRetry, wantsSubAgent } from './asks-for.js';
import { anchoredIn, shortened } from './focus.js';
import { type CheckValue, readAnswer } from './read-answer.js';
import { LONGEST_TEXT } from './router-format.js';
import { chooseAgent, chooseByRules } from './rules-router.js';
import { saidIn } from './said-text.js';
import { isAbout as isQuestion, isShortQuestion, signalIn } from './signals.js';
import {
  act,
  agentOf,
  callableOf,
  clarify,
  type Deciding,
  GENERIC_AGENT,
  NO_AGENT,
  type Proposal,
  type Question,
  questionAbout,
  questionOfAbilities,
  type RouterInput,
  respond,
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
export interface DecideInput extends Deciding {
  targets: Targets;
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

type Chooser = 'rules' | 'model';

/** What a limit changes in a proposal, and why; undefined: it is within the limit. */
type Change = { why: string; to: Partial<Proposal> } | undefined;

/** Only for what would delegate or call. */
type Limit = (proposal: Proposal, input: RouterInput, by: Chooser) => Change;

/**
 * Limits any router's proposal: only registered agents, installed tools and the project's workflows; nothing below
 * the threshold; nothing that no person requested.
 * Source: R-003-12 to R-003-16, R-003-18 to R-003-20, R-003-24, R-003-25, R-003-30; C-24, C-26, C-27.
 */
export function clamp(
  proposal: Proposal,
  input: RouterInput,
  by: Chooser,
): Omit<RoutingDecision, 'stage' | 'router' | 'continuation'> {
  const clamped: string[] = [];
  let kept = cleaned(proposal, input);
  for (const limit of [withinFocus, withinTargets, notFromData, onlyRequested, withinConfidence]) {
    const change = acts(kept) ? limit(kept, input, by) : undefined;
    if (!change) continue;
    clamped.push(change.why);
    kept = { ...kept, ...change.to };
  }
  if (kept.decision === 'clarify' && !kept.question) kept = { ...kept, ...questionFor(input) };
  return { ...kept, needs_approval: needsApproval(kept, input, by), clamped };
}

function acts({ decision }: Proposal): boolean {
  return decision === 'delegate' || decision === 'tool' || decision === 'workflow';
}

/** With texts of at most {@link LONGEST_TEXT} characters. */
function cleaned(proposal: Proposal, { focus }: RouterInput): Proposal {
  const { confidence, rationale, references, target, options } = proposal;
  const { refersTo, refersToReason } = references;
  const isStale = refersTo === 'pending' && focus.pending === null;
  return {
    ...proposal,
    target: acts(proposal) ? target : null,
    confidence: confidence >= 0 && confidence <= 1 ? confidence : 0,
    rationale: shorten(rationale, LONGEST_TEXT),
    references: { refersTo: isStale ? 'latest' : refersTo, refersToReason: shorten(refersToReason, LONGEST_TEXT) },
    options: options.slice(0, 2),
  };
}

/** Only requests of a person pass; an unclear one leads to a question. Source: R-003-24. */
const withinFocus: Limit = (proposal, input) => {
  const { anchor, candidates } = input.focus;
  if (anchor || isRetry(proposal, input)) return undefined;
  if (candidates.length === 0 && actOf(saidIn(input.text)) === 'talks')
    return refused('Nothing is asked for', 'respond');
  return refused('It is not clear what is asked for', 'clarify', questionAbout(candidates, 'What should be done?'));
};

function isRetry({ target }: Proposal, input: RouterInput): boolean {
  const retry = answerToRetry(input);
  if (!retry?.agreed || !target || !('extensionId' in target)) return false;
  return target.extensionId === retry.target.extensionId && target.capabilityId === retry.target.capabilityId;
}

/** Source: R-003-06, R-003-12, R-003-13, R-003-14, R-003-25. */
const withinTargets: Limit = ({ decision, target }, input) => {
  if (decision === 'delegate') {
    if (agentOf(input, target)) return undefined;
    const to = { target: { agentId: GENERIC_AGENT } };
    if (agentOf(input, to.target)) return { why: 'The agent is not registered; the generic one is used', to };
    return refused('No such agent is registered', 'clarify');
  }
  const found = callableOf(input, target);
  const isKnown = found && ('available' in found ? decision === 'tool' && found.available : decision === 'workflow');
  return isKnown ? undefined : refused(`The ${decision} is not one that can be called here`, 'clarify');
};

/** Refuses what only documents, tool output, pasted text or a pending question name. Source: R-003-29. */
const notFromData: Limit = (proposal, input) => {
  const { focus, text } = input;
  const found = callableOf(input, proposal.target);
  if (!found || isRetry(proposal, input)) return undefined;
  const speaks = (said: string): boolean => shareWord(said, `${found.abilityId} ${found.summary}`, 'content');
  const anchored = anchoredIn(focus) ?? '';
  if (speaks(`${saidIn(text)}\n${saidIn(anchored)}`)) return undefined;
  const data = focus.lane.window.filter(({ role }) => role === 'tool' || role === 'document').map((one) => one.text);
  const waits = focus.pending ? [JSON.stringify(focus.pending)] : [];
  const pasted = [text, anchored].filter((whole) => whole !== saidIn(whole));
  if (![...data, ...waits, ...pasted].some(speaks)) return undefined;
  return refused('Only data that was read mentions it, not a person', 'clarify');
};

/**
 * Rules propose a change only for a plain order whose every word they account for. A model knows more words, but
 * proposes none for a question, or if the message says nothing of it, such as a withdrawal in any language. What is
 * left over is shown with the plan. Source: R-003-15, R-003-20, R-003-22; docs/choosing.md#deciding.
 */
const onlyRequested: Limit = (proposal, input, by) => {
  const found = callableOf(input, proposal.target);
  if (!found || isRetry(proposal, input)) return undefined;
  const ask = questionFor(input, proposal);
  const { unused, isOrder, isAbout, isPlain } = input.account(found.abilityId, orderIn(input));
  const isAsking = isQuestion(saidIn(input.text));
  if (isReading(found.effects))
    return isPlain || isAsking || by === 'model' ? undefined : refused('It may be no order', 'clarify', ask);
  if (isAsking) return refused('It is a question, and asks for no change', 'respond');
  if (!isAbout) return refused('The message says nothing of it', 'clarify', ask);
  if (by === 'model')
    return isLooking(input.text) && !isOrder
      ? refused('It asks to see something, and not to change it', 'clarify', ask)
      : undefined;
  const question = `${unusedWords(unused)}${ask.question}`;
  if (unused.length > 0) return refused('It does not account for each word', 'clarify', { ...ask, question });
  return isOrder ? undefined : refused('It may be no order', 'clarify', ask);
};

/** The message, or the request that it only refers to: "do it". */
function orderIn({ focus, text }: RouterInput): string {
  return (actOf(text) === 'refers' && anchoredIn(focus)) || text;
}

/** Source: R-003-15, R-003-16, R-003-30; C-24. */
const withinConfidence: Limit = (proposal, input) => {
  const { confidence } = proposal;
  if (confidence >= input.threshold) return undefined;
  const why = `Its confidence of ${confidence} is below ${input.threshold}`;
  const isShort = isShortQuestion(saidIn(input.text));
  return isShort ? refused(why, 'respond') : refused(why, 'clarify', questionFor(input, proposal));
};

/** "Do you mean X?" for an uncertain choice, else what the requests leave open. */
function questionFor(input: RouterInput, proposal?: Proposal): Question {
  const named = callableOf(input, proposal?.target ?? null);
  if (named) return questionOfAbilities(named.abilityId);
  return questionAbout(input.focus.candidates, 'What should be done, in other words?');
}

function refused(
  why: string,
  decision: 'respond' | 'clarify',
  ask: Pick<Proposal, 'question' | 'options'> = { question: null, options: [] },
): Change {
  return { why, to: { decision, target: null, ...ask } };
}

/** Source: R-003-18, R-003-19, R-003-20; C-26, C-27. */
function needsApproval({ decision, target }: Proposal, input: RouterInput, by: Chooser): boolean {
  if (decision === 'workflow') return true;
  if (decision === 'tool') return !isReading(callableOf(input, target)?.effects ?? 'destructive');
  if (decision !== 'delegate') return false;
  const agent = agentOf(input, target);
  const order = orderIn(input);
  if (!agent || agent.isComplex || !isReading(agent.effects) || signalIn(order)?.isComplex) return true;
  const { isOrder, isAbout } = input.account(agent.id, order);
  // A withdrawal in any language says nothing of the agent.
  return !isOrder && !(by === 'model' && (isAbout || wantsSubAgent(input.text)));
}
