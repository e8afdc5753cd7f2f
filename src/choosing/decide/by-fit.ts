import { FITS } from '../ranker.js';
import { act, clarify, eitherOr, questionOfAbilities, respond } from './propose.js';
import { saidIn } from './said-text.js';
import { isAbout, isShortQuestion, isWhether } from './signals.js';
import {
  type Fit,
  GENERIC_AGENT,
  isReading,
  type Proposal,
  type RouterInput,
  type Target,
  targetFor,
  USUAL_THRESHOLD,
} from './targets.js';

/** From this score on, the ability is proposed as a question. */
const NEARLY = 0.4;
/** From this share of the best score on, two abilities fit equally well, and the user chooses. */
const ALIKE = 0.92;

/** Adds `gain` to the confidence of what only reads, with `before` times the next score. */
const ALONE = { before: 2, gain: 0.05 };

type Callable = Fit & Target;

/** Decides by the ranking of abilities. A question never calls what changes something. */
export async function byFit(input: RouterInput, about: string): Promise<Proposal> {
  const said = saidIn(input.text);
  // The generic agent is for what fits nothing, and only if an agent is wanted.
  const ranked = (await input.rank(about)).filter(({ abilityId }) => abilityId !== GENERIC_AGENT || NAMED.test(about));
  const [first] = ranked;
  if (first && first.score >= FITS && !targetFor(input, first.abilityId)) {
    // The next one would be a guess. Source: R-003-06.
    const reason = first.unavailable ?? input.tools.find(({ abilityId }) => abilityId === first.abilityId)?.reason;
    return respond(0.9, `${first.abilityId} fits best, and cannot be called here${reason ? `: ${reason}` : ''}`);
  }
  const callable = ranked.flatMap((fit): Callable[] => {
    const found = targetFor(input, fit.abilityId);
    return found ? [{ ...fit, ...found }] : [];
  });
  const isQuestion = isAbout(said);
  const isHow = HOW.test(said);
  const fits = callable.filter(
    ({ effects, decision }) => !isQuestion || (isReading(effects) && !(isHow && decision === 'delegate')),
  );
  const accounted = fits.map((fit) => ({ ...fit, ...input.account(fit.abilityId, about) }));
  const [head] = accounted;
  const near = head?.isFar && !isReading(head.effects) ? accounted.filter(({ isOrder }) => isOrder) : accounted;
  const [best, next] = near;
  const confidence = best ? confidenceOf(best, next) : 0;
  if (best && confidence >= input.threshold) {
    if (next && next.decision === best.decision && next.rest <= best.rest && next.score >= best.score * ALIKE)
      return clarify('Several fit about as well', questionOfAbilities([best.abilityId, next.abilityId]), 0.6);
    return act(best.decision, best.target, confidence, best.reason ?? 'It fits the request best');
  }
  const [checks] = callable;
  // "Does sign-up still work?" may ask for a test; the person decides whether to run it.
  if (isWhether(said) && checks && checks.decision !== 'tool' && confidenceOf(checks) >= input.threshold)
    return clarify('A question that this may answer', questionOfAbilities([checks.abilityId]));
  if (isShortQuestion(said)) return respond(0.8, 'A short question that needs one answer');
  return beforeWaiting(input) ?? nearly(near) ?? respond(0.7, 'No ability here fits it');
}

const NAMED = new RegExp(`\\b${GENERIC_AGENT}\\b`, 'i');
/** It asks how to do something oneself. */
const HOW = /\bhow (?:to|do|does|can|could|should|would)\b/i;

/** Scales the score so that {@link FITS} maps to {@link USUAL_THRESHOLD}. Source: R-003-15. */
function confidenceOf({ score, effects }: Callable, next?: Callable): number {
  const sure =
    score < FITS
      ? (score / FITS) * USUAL_THRESHOLD
      : USUAL_THRESHOLD + ((score - FITS) * (1 - USUAL_THRESHOLD)) / (1 - FITS);
  const isAlone = isReading(effects) && (next?.score ?? 0) * ALONE.before <= score;
  return Math.round(Math.min(1, sure + (isAlone ? ALONE.gain : 0)) * 100) / 100;
}

/** Repeats the question if a short answer matches none of its options. Source: R-003-04, R-003-16. */
export function beforeWaiting({ focus: { pending }, text }: RouterInput, maxWords = 3): Proposal | undefined {
  if (pending?.kind !== 'workflow_waiting' || !('options' in pending.expects)) return undefined;
  const words = text.trim().split(/\s+/).length;
  if (words > maxWords) return undefined;
  const labels = pending.expects.options.map(({ label }) => label);
  const meant = labels.filter((label) => label.toLowerCase().startsWith(text.trim().toLowerCase()));
  return clarify(
    'It chooses none of what can be chosen',
    eitherOr((meant.length > 1 ? meant : labels).map((label) => ({ label, means: null }))),
  );
}

function nearly(fits: readonly Fit[]): Proposal | undefined {
  const named = fits.filter(({ score }) => score >= NEARLY).map(({ abilityId }) => abilityId);
  if (named.length === 0) return undefined;
  return clarify('What comes nearest may not be meant', questionOfAbilities(named));
}
