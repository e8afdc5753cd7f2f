import type { Effect } from '../../contracts/effects.js';
import type { RouteTarget } from '../../contracts/routing.js';
import { FITS } from '../ranker.js';
import { actOf } from './asks-for.js';
import { chooseAgent } from './choose-agent.js';
import { eitherOr, questionAbout } from './questions.js';
import { isConsent } from './read-selection.js';
import { isWordless, saidIn } from './said-text.js';
import { isAbout, isShortQuestion, type Signal, signalIn, withoutRefused } from './signals.js';
import { type Fit, isReading, type Proposal, type RouterInput, targetFor, USUAL_THRESHOLD } from './targets.js';

/** From this score on something nearly fits, and is worth a question. */
const NEARLY = 0.4;
/** Two that fit about as well are asked about. */
const ALIKE = 0.92;
/** What stands out so far before the next, and only reads, is a little surer. */
const ALONE = { before: 2, gain: 0.05 };

/**
 * Stage B without a model: strong signals by a table, then what the abilities say of themselves. The same request leads to the same answer.
 *
 * Source: R-003-21, R-003-22, R-003-27; C-24, C-25; exact shapes, section 3.
 */
export async function chooseByRules(input: RouterInput): Promise<Proposal> {
  const said = saidIn(input.text);
  const retried = retryOf(input);
  if (retried) return retried;
  const { anchor, candidates, lane } = input.focus;
  if (!anchor) return withoutFocus(said, candidates);
  const wanted = withoutRefused(said);
  if (isWordless(wanted)) return respond(0.9, 'It asks that something is not done');
  const asked = lane.window.find(({ id }) => id === anchor.message_id)?.text ?? anchor.snippet;
  const about = asked === input.text ? wanted : `${wanted}\n${withoutRefused(saidIn(asked))}`;
  return (await bySignal(input, about)) ?? (await byFit(input, about));
}

/** A word of consent to the retry that was offered, and nothing else. */
function retryOf({ focus: { pending }, text }: RouterInput): Proposal | undefined {
  if (pending?.kind !== 'tool_retry' || !('extensionId' in pending.expects)) return undefined;
  const agreed = isConsent(text);
  if (agreed === undefined) return undefined;
  const references = { refersTo: 'pending', refersToReason: 'It answers the retry that was offered' } as const;
  const { extensionId, capabilityId } = pending.expects;
  if (!agreed) return { ...respond(1, 'The retry was declined'), references };
  const base = { confidence: 1, rationale: 'The retry was agreed to', references, question: null, options: [] };
  return { ...base, decision: 'tool', target: { extensionId, capabilityId } };
}

function withoutFocus(said: string, candidates: RouterInput['focus']['candidates']): Proposal {
  if (candidates.length === 0 && actOf(said) === 'talks') return respond(0.9, 'Nothing is asked for');
  const rationale =
    candidates.length > 0 ? 'It may be about several requests' : 'It refers to a request that is not known';
  return clarify(rationale, questionAbout(candidates, 'What should be done?'));
}

async function bySignal(input: RouterInput, about: string): Promise<Proposal | undefined> {
  const signal = signalIn(about);
  if (!signal) return undefined;
  const agentId = chooseAgent(input.agents, about);
  if (agentId !== undefined) return act('delegate', { agentId }, signal.confidence, signal.rationale);
  const fitting = await byFit(input, about);
  if (fitting.target !== null) return fitting;
  return clarify(withoutAgent(signal), {
    question: 'No agent is registered here that could take it. Should it be answered without one?',
    options: ['yes', 'no'],
  });
}

function withoutAgent({ rationale }: Signal): string {
  return `${rationale}; no agent is registered`;
}

/** What the abilities say of themselves. A question about something calls nothing that changes anything. */
async function byFit(input: RouterInput, about: string): Promise<Proposal> {
  const said = saidIn(input.text);
  const ranked = await input.rank(about);
  const callable = ranked.flatMap((fit) => {
    const found = targetFor(input, fit.abilityId);
    return found ? [{ ...fit, ...found }] : [];
  });
  const fits = isAbout(said) ? callable.filter(({ effects }) => isReading(effects)) : callable;
  const [best, next] = fits;
  const confidence = best ? confidenceOf(best, next) : 0;
  if (best && confidence >= input.threshold) {
    if (next && next.decision === best.decision && next.score >= best.score * ALIKE) {
      return clarify('Several fit about as well', eitherOr([best.abilityId, next.abilityId]), 0.6);
    }
    return act(best.decision, best.target, confidence, best.reason ?? 'It fits the request best');
  }
  if (isShortQuestion(said)) return respond(0.8, 'A short question that needs one answer');
  return beforeWaiting(input) ?? nearly(fits) ?? respond(0.7, 'No ability here fits it');
}

/** A callable ability that has something of the request. */
interface Callable extends Fit {
  effects: Effect;
}

/** As a score, but {@link FITS} is as sure as the usual threshold: that is where an ability is worth offering. Source: R-003-15. */
function confidenceOf({ score, effects }: Callable, next: Callable | undefined): number {
  const sure =
    score < FITS
      ? (score / FITS) * USUAL_THRESHOLD
      : USUAL_THRESHOLD + ((score - FITS) * (1 - USUAL_THRESHOLD)) / (1 - FITS);
  const isAlone = isReading(effects) && (next?.score ?? 0) * ALONE.before <= score;
  return Math.round(Math.min(1, sure + (isAlone ? ALONE.gain : 0)) * 100) / 100;
}

/** A word or two that choose none of the options that wait, and ask for nothing else: they are asked again. Source: R-003-04, R-003-16. */
function beforeWaiting({ focus: { pending }, text }: RouterInput): Proposal | undefined {
  if (pending?.kind !== 'workflow_waiting' || !('options' in pending.expects)) return undefined;
  const words = text.trim().split(/\s+/).length;
  if (words > 3) return undefined;
  const labels = pending.expects.options.map(({ label }) => label);
  const meant = labels.filter((label) => label.toLowerCase().startsWith(text.trim().toLowerCase()));
  return clarify('It chooses none of what can be chosen', eitherOr(meant.length > 1 ? meant : labels));
}

function nearly(fits: readonly Callable[]): Proposal | undefined {
  const named = fits.filter(({ score }) => score >= NEARLY).map(({ abilityId }) => abilityId);
  if (named.length === 0) return undefined;
  const question =
    named.length > 1 ? eitherOr(named) : { question: `Do you mean ${named[0]}?`, options: ['yes', 'no'] };
  return clarify('What comes nearest may not be meant', question);
}

const FOCUS = { refersTo: 'focus_anchor', refersToReason: 'It is what was asked last' } as const;
const LATEST = { refersTo: 'latest', refersToReason: 'It is about the latest message alone' } as const;

function act(decision: Proposal['decision'], target: RouteTarget, confidence: number, rationale: string): Proposal {
  return { decision, target, confidence, rationale, references: FOCUS, question: null, options: [] };
}

function respond(confidence: number, rationale: string): Proposal {
  return { decision: 'respond', target: null, confidence, rationale, references: LATEST, question: null, options: [] };
}

function clarify(rationale: string, ask: { question: string; options: string[] }, confidence = 0.5): Proposal {
  return { decision: 'clarify', target: null, confidence, rationale, references: LATEST, ...ask };
}
