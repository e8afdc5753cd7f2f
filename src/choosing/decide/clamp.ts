import type { RoutingDecision } from '../../contracts/routing.js';
import { isLooking, unusedWords } from '../account-for.js';
import { contentStems } from '../words.js';
import { actOf, answersLater, wantsSubAgent } from './asks-for.js';
import { isConsent } from './consent.js';
import { type Question, questionAbout, questionOfAbilities } from './propose.js';
import { capped } from './router-answer.js';
import { saidIn } from './said-text.js';
import { isAbout as isQuestion, isShortQuestion, signalIn } from './signals.js';
import { agentOf, GENERIC_AGENT, isReading, type Proposal, type RouterInput, toolOf, workflowOf } from './targets.js';

interface Clamping {
  by: 'rules' | 'model';
  proposal: Proposal;
  clamped: string[];
}

/**
 * Limits any router's proposal: only registered agents, installed tools and the project's workflows; nothing below
 * the threshold; nothing that no person requested.
 * Source: R-003-12 to R-003-16, R-003-18 to R-003-20, R-003-24, R-003-25, R-003-30; C-24, C-26, C-27.
 */
export function clamp(
  proposal: Proposal,
  input: RouterInput,
  by: Clamping['by'],
): Omit<RoutingDecision, 'stage' | 'router' | 'continuation'> {
  const rules = [withinFocus, withinTargets, notFromData, onlyRequested, withinConfidence];
  const start: Clamping = { by, proposal: cleaned(proposal, input), clamped: [] };
  const { proposal: kept, clamped } = rules.reduce(
    (state, rule) => (acts(state.proposal) ? rule(state, input) : state),
    start,
  );
  const settled = kept.decision === 'clarify' && !kept.question ? { ...kept, ...questionFor(input) } : kept;
  return { ...settled, needs_approval: needsApproval(settled, input, by), clamped };
}

function acts({ decision }: Proposal): boolean {
  return decision === 'delegate' || decision === 'tool' || decision === 'workflow';
}

function cleaned(proposal: Proposal, { focus }: RouterInput): Proposal {
  const { references } = proposal;
  const isStale = references.refersTo === 'pending' && focus.pending === null;
  const confidence = proposal.confidence >= 0 && proposal.confidence <= 1 ? proposal.confidence : 0;
  return {
    ...proposal,
    ...capped({ ...proposal, confidence, ...(isStale && { references: { ...references, refersTo: 'latest' } }) }),
    ...(!acts(proposal) && { target: null }),
    options: proposal.options.slice(0, 2),
  };
}

/** Only requests of a person pass; an unclear one leads to a question. Source: R-003-24. */
function withinFocus(state: Clamping, input: RouterInput): Clamping {
  const { focus, text } = input;
  if (focus.anchor) return state;
  if (isRetry(state.proposal, input)) return state;
  if (focus.candidates.length === 0 && actOf(saidIn(text)) === 'talks')
    return refused(state, 'Nothing is asked for', 'respond');
  return refused(
    state,
    'It is not clear what is asked for',
    'clarify',
    questionAbout(focus.candidates, 'What should be done?'),
  );
}

function isRetry({ target }: Proposal, { focus, text }: RouterInput): boolean {
  const { pending } = focus;
  if (pending?.kind !== 'tool_retry' || !target || !('extensionId' in target) || !('extensionId' in pending.expects))
    return false;
  const { extensionId, capabilityId } = pending.expects;
  return (
    target.extensionId === extensionId &&
    target.capabilityId === capabilityId &&
    isConsent(text) === true &&
    !answersLater(text, focus)
  );
}

/** Source: R-003-06, R-003-12, R-003-13, R-003-14, R-003-25. */
function withinTargets(state: Clamping, input: RouterInput): Clamping {
  const { decision, target } = state.proposal;
  if (decision === 'delegate') return withinAgents(state, input);
  const isKnown = decision === 'tool' ? toolOf(input, target)?.available : workflowOf(input, target);
  if (isKnown) return state;
  return refused(
    state,
    `${decision === 'tool' ? 'The tool' : 'The workflow'} is not one that can be called here`,
    'clarify',
  );
}

function withinAgents(state: Clamping, input: RouterInput): Clamping {
  if (agentOf(input, state.proposal.target)) return state;
  if (!input.agents.some(({ id }) => id === GENERIC_AGENT))
    return refused(state, 'No such agent is registered', 'clarify');
  return {
    ...state,
    proposal: { ...state.proposal, target: { agentId: GENERIC_AGENT } },
    clamped: [...state.clamped, 'The agent is not registered; the generic one is used'],
  };
}

/** Refuses what only documents, tool output, pasted text or a pending question name. Source: R-003-29. */
function notFromData(state: Clamping, input: RouterInput): Clamping {
  const { focus, text } = input;
  const { decision, target } = state.proposal;
  if (decision === 'delegate' || isRetry(state.proposal, input)) return state;
  const words = wordsOfTarget(target, input);
  const anchored = focus.lane.window.find(({ id }) => id === focus.anchor?.message_id)?.text ?? '';
  if (speaksOf(`${saidIn(text)}\n${saidIn(anchored)}`, words)) return state;
  const data = focus.lane.window
    .filter(({ role }) => role === 'tool' || role === 'document')
    .map((message) => message.text);
  const waits = focus.pending ? [JSON.stringify(focus.pending)] : [];
  const pasted = [text, anchored].filter((whole) => whole !== saidIn(whole));
  if (![...data, ...waits, ...pasted].some((one) => speaksOf(one, words))) return state;
  return refused(state, 'Only data that was read mentions it, not a person', 'clarify');
}

/**
 * Rules propose a change only for a plain order whose every word they account for. A model knows more words, but
 * proposes none for a question, or if the message says nothing of it, such as a withdrawal in any language. What is
 * left over is shown with the plan. Source: R-003-15, R-003-20, R-003-22; docs/choosing.md#deciding.
 */
function onlyRequested(state: Clamping, input: RouterInput): Clamping {
  const found = toolOf(input, state.proposal.target) ?? workflowOf(input, state.proposal.target);
  if (!found || isRetry(state.proposal, input)) return state;
  const aside = (why: string): Clamping => refused(state, why, 'clarify', aboutProposal(state, input));
  const { unused, isOrder, isAbout, isPlain } = input.account(found.abilityId, orderIn(input));
  if (isReading(found.effects))
    return isPlain || isQuestion(saidIn(input.text)) || state.by === 'model' ? state : aside('It may be no order');
  if (isQuestion(saidIn(input.text))) return refused(state, 'It is a question, and asks for no change', 'respond');
  if (!isAbout) return aside('The message says nothing of it');
  if (state.by === 'model')
    return isLooking(input.text) && !isOrder ? aside('It asks to see something, and not to change it') : state;
  if (unused.length > 0) {
    const about = aboutProposal(state, input);
    const question = `${unusedWords(unused)}${about.question}`;
    return refused(state, 'It does not account for each word', 'clarify', { ...about, question });
  }
  return isOrder ? state : aside('It may be no order');
}

/** The message, or the request that it only refers to: "do it". */
function orderIn({ focus, text }: RouterInput): string {
  if (actOf(text) !== 'refers') return text;
  return focus.lane.window.find(({ id }) => id === focus.anchor?.message_id)?.text ?? text;
}

function wordsOfTarget(target: Proposal['target'], input: RouterInput): ReadonlySet<string> {
  const found = toolOf(input, target) ?? workflowOf(input, target);
  return contentStems(found ? `${found.abilityId} ${found.summary}` : '');
}

function speaksOf(text: string, words: ReadonlySet<string>): boolean {
  return [...contentStems(text)].some((stem) => words.has(stem));
}

/** Source: R-003-15, R-003-16, R-003-30; C-24. */
function withinConfidence(state: Clamping, input: RouterInput): Clamping {
  const { confidence } = state.proposal;
  if (confidence >= input.threshold) return state;
  const why = `Its confidence of ${confidence} is below ${input.threshold}`;
  return isShortQuestion(saidIn(input.text))
    ? refused(state, why, 'respond')
    : refused(state, why, 'clarify', aboutProposal(state, input));
}

/** "Do you mean X?" for an uncertain choice. */
function aboutProposal({ proposal: { target } }: Clamping, input: RouterInput): Question {
  const named = nameOf(target, input);
  return named ? questionOfAbilities([named]) : questionFor(input);
}

function nameOf(target: Proposal['target'], input: RouterInput): string | undefined {
  return (toolOf(input, target) ?? workflowOf(input, target))?.abilityId;
}

function questionFor({ focus }: RouterInput): Question {
  return questionAbout(focus.candidates, 'What should be done, in other words?');
}

function refused(
  { by, proposal, clamped }: Clamping,
  why: string,
  decision: 'respond' | 'clarify',
  ask: Pick<Proposal, 'question' | 'options'> = { question: null, options: [] },
): Clamping {
  return { by, proposal: { ...proposal, decision, target: null, ...ask }, clamped: [...clamped, why] };
}

/** Source: R-003-18, R-003-19, R-003-20; C-26, C-27. */
function needsApproval({ decision, target }: Proposal, input: RouterInput, by: Clamping['by']): boolean {
  if (decision === 'workflow') return true;
  if (decision === 'tool') return !isReading(toolOf(input, target)?.effects ?? 'destructive');
  if (decision !== 'delegate') return false;
  const agent = agentOf(input, target);
  const order = orderIn(input);
  if (!agent || agent.isComplex || !isReading(agent.effects) || signalIn(order)?.isComplex) return true;
  const { isOrder, isAbout } = input.account(agent.id, order);
  // A withdrawal in any language says nothing of the agent.
  return !isOrder && !(by === 'model' && (isAbout || wantsSubAgent(input.text)));
}
