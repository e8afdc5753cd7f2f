import { isReading } from '../../contracts/effects.js';
import { FITS } from '../ranker.js';
import { STOP_WORDS, wordCount } from '../words.js';
import { actOf, answerToRetry } from './asks-for.js';
import { anchoredIn } from './focus.js';
import { saidIn } from './said-text.js';
import { isAbout, isShortQuestion, isWhether, signalIn } from './signals.js';
import {
  act,
  clarify,
  eitherOr,
  type Fit,
  GENERIC_AGENT,
  NO_AGENT,
  type Proposal,
  questionAbout,
  questionOfAbilities,
  type RouterInput,
  respond,
  type Target,
  targetFor,
  USUAL_THRESHOLD,
} from './targets.js';

/**
 * Stage B without a model, deterministic: strong signals by a table, then the texts of the abilities.
 * Source: R-003-21, R-003-22, R-003-27; C-24, C-25; docs/choosing.md#deciding.
 */
export async function chooseByRules(input: RouterInput): Promise<Proposal> {
  const said = saidIn(input.text);
  // "The one that costs more" describes an option, and chooses none. Source: R-003-04, R-003-16.
  const described = DESCRIBES.test(input.text) ? beforeWaiting(input, MAX_WORDS_DESCRIBING) : undefined;
  const before = retryOf(input) ?? described;
  if (before) return before;
  const { anchor } = input.focus;
  if (!anchor) return withoutFocus(input, said);
  const anchored = anchoredIn(input.focus) ?? anchor.snippet;
  const about = anchored === input.text ? said : `${said}\n${saidIn(anchored)}`;
  return (await bySignal(input, about)) ?? (await byFit(input, about));
}

const DESCRIBES = /^\W*(?:(?:the|that|this)\s+(?:other\s+|\p{L}+er\s+|\p{L}+est\s+)?ones?|both|either|neither)\b/iu;
const MAX_WORDS_DESCRIBING = 12;

function retryOf(input: RouterInput): Proposal | undefined {
  const retry = answerToRetry(input);
  if (!retry) return undefined;
  const references = { refersTo: 'pending', refersToReason: 'It answers the retry that was offered' } as const;
  if (!retry.agreed) return { ...respond(1, 'The retry was declined'), references };
  return { ...act(retry.target, 1, 'The retry was agreed to'), references };
}

async function withoutFocus(input: RouterInput, said: string): Promise<Proposal> {
  const { candidates } = input.focus;
  if (candidates.length === 0 && actOf(said) === 'talks') {
    const [named] = await input.rank(said);
    if (named && named.score >= FITS) return clarify('It may name an ability', questionOfAbilities(named.abilityId));
    return respond(0.9, 'Nothing is asked for');
  }
  const question = questionAbout(candidates, 'What should be done?');
  if (candidates.length > 0) return clarify('It may be about several requests', question);
  return clarify('It refers to a request that is not known', question);
}

async function bySignal(input: RouterInput, about: string): Promise<Proposal | undefined> {
  const signal = signalIn(about);
  if (!signal) return undefined;
  const agentId = await chooseAgent(input, about);
  if (agentId !== undefined) return act({ agentId }, SIGNALLED, signal.rationale);
  const fitting = await byFit(input, about);
  if (fitting.target !== null) return fitting;
  return clarify(`${signal.rationale}; no agent is registered`, NO_AGENT);
}

/** The confidence in what a strong signal is for. */
const SIGNALLED = 0.88;
/** From this score on, the ability is proposed as a question. */
const NEARLY = 0.4;
/** From this share of the best score on, two abilities fit equally well, and the user chooses. */
const ALIKE = 0.92;

type Callable = Fit & Target;

/** Decides by the ranking of abilities. A question never calls what changes something. */
async function byFit(input: RouterInput, about: string): Promise<Proposal> {
  const said = saidIn(input.text);
  // The generic agent is for what fits nothing, and only if an agent is wanted.
  const ranked = (await input.rank(about)).filter(({ abilityId }) => abilityId !== GENERIC_AGENT || NAMED.test(about));
  const [first] = ranked;
  if (first && first.score >= FITS && !targetFor(input, first.abilityId)) {
    // The next one would be a guess. Source: R-003-06.
    const reason = first.unavailable ?? input.tools.find(({ abilityId }) => abilityId === first.abilityId)?.reason;
    return respond(0.9, `${first.abilityId} fits best, and cannot be called here${reason ? `: ${reason}` : ''}`);
  }
  const found = ranked.map((fit) => ({ ...fit, ...targetFor(input, fit.abilityId) }));
  const callable = found.filter((fit): fit is Callable => fit.target !== undefined);
  const isQuestion = isAbout(said);
  const isHow = HOW.test(said);
  const fits = callable.filter(
    ({ effects, decision }) => !isQuestion || (isReading(effects) && !(isHow && decision === 'delegate')),
  );
  const accounted = fits.map((fit) => ({ ...fit, ...input.account(fit.abilityId, about) }));
  const [head] = accounted;
  const near = head?.isFar && !isReading(head.effects) ? accounted.filter(({ isOrder }) => isOrder) : accounted;
  const [best, next] = near;
  const confidence = best ? confidenceOf(best) : 0;
  if (best && confidence >= input.threshold) {
    if (next && next.decision === best.decision && next.rest <= best.rest && next.score >= best.score * ALIKE)
      return clarify('Several fit about as well', questionOfAbilities(best.abilityId, next.abilityId), 0.6);
    return act(best.target, confidence, best.reason ?? 'It fits the request best');
  }
  const [checks] = callable;
  // "Does sign-up still work?" may ask for a test; the person decides whether to run it.
  if (isWhether(said) && checks && checks.decision !== 'tool' && confidenceOf(checks) >= input.threshold)
    return clarify('A question that this may answer', questionOfAbilities(checks.abilityId));
  if (isShortQuestion(said)) return respond(0.8, 'A short question that needs one answer');
  const [nearest, other] = near.filter(({ score }) => score >= NEARLY);
  const meant = nearest && questionOfAbilities(nearest.abilityId, other?.abilityId);
  const asks = meant && clarify('What comes nearest may not be meant', meant);
  return beforeWaiting(input) ?? asks ?? respond(0.7, 'No ability here fits it');
}

const NAMED = new RegExp(`\\b${GENERIC_AGENT}\\b`, 'i');
/** It asks how to do something oneself. */
const HOW = /\bhow (?:to|do|does|can|could|should|would)\b/i;

/** Scales the score so that {@link FITS} maps to {@link USUAL_THRESHOLD}. Source: R-003-15. */
function confidenceOf({ score }: Callable): number {
  const sure =
    score < FITS
      ? (score / FITS) * USUAL_THRESHOLD
      : USUAL_THRESHOLD + ((score - FITS) * (1 - USUAL_THRESHOLD)) / (1 - FITS);
  return Math.round(Math.min(1, sure) * 100) / 100;
}

/** Repeats the question if a short answer matches none of its options. Source: R-003-04, R-003-16. */
function beforeWaiting({ focus: { pending }, text }: RouterInput, maxWords = 3): Proposal | undefined {
  if (pending?.kind !== 'workflow_waiting' || !('options' in pending.expects)) return undefined;
  if (wordCount(text) > maxWords) return undefined;
  const choices = pending.expects.options.map(({ label }) => ({ label, means: null }));
  const meant = choices.filter(({ label }) => label.toLowerCase().startsWith(text.trim().toLowerCase()));
  return clarify('It chooses none of what can be chosen', eitherOr(meant.length > 1 ? meant : choices));
}

/** An agent is wanted, so the one that comes nearest may be far, if no other comes near. */
const NEAR = { score: 0.25, before: 2 };

/** Named, else best by intent, else generic. Source: R-003-12, R-003-13, R-003-27. */
export async function chooseAgent({ agents, rank }: RouterInput, text: string): Promise<string | undefined> {
  const named = agents.filter(({ id }) => isAddressed(id, text));
  if (named.length === 1) return named[0]?.id;
  const others = new Set(agents.map(({ id }) => id).filter((id) => id !== GENERIC_AGENT));
  const about = text.replaceAll(/\b(?:sub-?\s?)?agents?\b/gi, ' ');
  // "Ten versions of it" are texts to write, whatever they are about.
  const need = signalIn(text)?.need;
  const [writer, ...more] = need === 'write' ? await rank('write texts', others) : [];
  const writers = [writer, ...more].flatMap((one) => (one && one.score >= NEAR.score ? [one.abilityId] : []));
  const [best, next] = await rank(about, writers.length > 0 ? new Set(writers) : others);
  const isAlone =
    need !== 'steps' && best && best.score >= NEAR.score && best.score >= (next?.score ?? 0) * NEAR.before;
  if (best && (best.score >= FITS || isAlone)) return best.abilityId;
  if (writer && writers.length === 1) return writer.abilityId;
  return agents.find(({ id }) => id === GENERIC_AGENT)?.id;
}

/** Whether a text addresses the agent: "ask legal", "via the support agent", "@ops". */
function isAddressed(id: string, text: string): boolean {
  const name = String.raw`${id.replaceAll(/[^\w\s]/g, String.raw`\$&`)}(?![\w-])`;
  const always = String.raw`@${name}|(?<![\w-])${name}\s+(?:sub-?\s?)?agent\b|\b(?:sub-?\s?)?agent\s+${name}`;
  const before = String.raw`ask|let|have|use|via|through|using|(?:hand|give|delegate|pass|assign)\b[^.!?\n]{0,40}?\bto`;
  const usual = String.raw`\b(?:${before})\s+(?:the\s+|our\s+|a\s+)?${name}|\b(?:by|with)\s+(?:the\s+|our\s+)?${name}\W*$|^\W*${name}[,:]`;
  // "have it done" does not name an agent with the id "it".
  return new RegExp(STOP_WORDS.has(id.toLowerCase()) ? always : `${always}|${usual}`, 'im').test(text);
}
