import type { Effect } from '../../contracts/effects.js';
import { FITS } from '../ranker.js';
import { wordsIn } from '../words.js';
import { type Action, actionIn, hasVerb } from './action.js';
import { act, clarify, eitherOr, questionOfAbilities, respond } from './propose.js';
import { saidIn } from './said-text.js';
import { isAbout, isShortQuestion, isWhether } from './signals.js';
import { type Fit, isReading, type Proposal, type RouterInput, targetFor, USUAL_THRESHOLD } from './targets.js';

/** From this score on, the ability is proposed as a question. */
const NEARLY = 0.4;
/** From this share of the best score on, two abilities fit equally well, and the user chooses. */
const ALIKE = 0.92;
/** Adds `gain` to the confidence of a read-only ability with `before` times the next score. */
const ALONE = { before: 2, gain: 0.05 };

interface Callable extends Fit {
  decision: 'tool' | 'workflow';
  target: NonNullable<Proposal['target']>;
  effects: Effect;
  summary: string;
}

/** Decides by the descriptions of abilities. A question never calls an ability that changes something. */
export async function byFit(input: RouterInput, about: string): Promise<Proposal> {
  const said = saidIn(input.text);
  const ranked = await input.rank(about);
  const missed = unavailableBest(input, ranked);
  if (missed) return missed;
  const callable = ranked.flatMap((fit): Callable[] => {
    const found = targetFor(input, fit.abilityId);
    return found ? [{ ...fit, ...found }] : [];
  });
  const isQuestion = isAbout(said);
  const action = isQuestion ? undefined : actionIn(about);
  const fits = callable.filter((one) => suits(one, action) && (!isQuestion || isReading(one.effects)));
  const [best, next] = preferred(fits, action);
  const confidence = best ? confidenceOf(best, next) : 0;
  if (best && confidence >= input.threshold) {
    if (next && isAsGood(next, best)) {
      return clarify('Several fit about as well', questionOfAbilities([best.abilityId, next.abilityId]), 0.6);
    }
    if (!isReading(best.effects) && !action && !isNamed(best, about)) {
      return clarify('It does not say what is to be done', questionOfAbilities([best.abilityId]), 0.6);
    }
    return act(best.decision, best.target, confidence, best.reason ?? 'It fits the request best');
  }
  const [checks] = callable;
  // "Does sign-up still work?" may ask for a test; the person decides whether to run it.
  if (isWhether(said) && checks?.decision === 'workflow' && confidenceOf(checks, undefined) >= input.threshold) {
    return clarify('A question that this may answer', questionOfAbilities([checks.abilityId]));
  }
  if (isShortQuestion(said)) return respond(0.8, 'A short question that needs one answer');
  return beforeWaiting(input) ?? nearly(fits) ?? respond(0.7, 'No ability here fits it');
}

/** If the best fit is unavailable, calls nothing: the next one would be a guess. Source: R-003-06. */
function unavailableBest(input: RouterInput, [best]: readonly Fit[]): Proposal | undefined {
  if (!best || best.score < FITS || targetFor(input, best.abilityId)) return undefined;
  const reason = best.unavailable ?? input.tools.find(({ abilityId }) => abilityId === best.abilityId)?.reason;
  return respond(0.9, `${best.abilityId} fits best, and cannot be called here${reason ? `: ${reason}` : ''}`);
}

/** Whether the effects allow the verb: reads cannot delete, and writes must not answer "show". */
function suits(one: Callable, action: Action | undefined): boolean {
  if (!action) return true;
  if (action.kind === 'read') return isReading(one.effects) || (one.decision === 'workflow' && hasVerb(one, action));
  return !isReading(one.effects) && hasVerb(one, action);
}

/** Whether the request names a start verb, the id, or the first verb of the summary: "run the payroll". */
function isNamed({ abilityId, summary }: Callable, about: string): boolean {
  const [verb] = wordsIn(summary);
  return STARTS.test(about) || about.includes(abilityId) || wordsIn(about).some(({ stem }) => stem === verb?.stem);
}

const STARTS = /\b(?:run|start|launch|execute|trigger|do|perform|kick off|use|call|begin)\b/i;

function isAsGood(next: Callable, best: Callable): boolean {
  return next.isAlternative === true || (next.decision === best.decision && next.score >= best.score * ALIKE);
}

/** If only one of the abilities that fit equally well has the verb, it comes first. */
function preferred(fits: readonly Callable[], action: Action | undefined): readonly Callable[] {
  const [first] = fits;
  if (!first || !action) return fits;
  const alike = fits.filter(({ score }) => score >= first.score * ALIKE);
  const [only, ...more] = alike.filter((one) => hasVerb(one, action));
  return only && more.length === 0 ? [only, ...fits.filter((one) => one !== only && !alike.includes(one))] : fits;
}

/** Scales the score so that {@link FITS} maps to {@link USUAL_THRESHOLD}. Source: R-003-15. */
function confidenceOf({ score, effects }: Callable, next: Callable | undefined): number {
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

function nearly(fits: readonly Callable[]): Proposal | undefined {
  const named = fits.filter(({ score }) => score >= NEARLY).map(({ abilityId }) => abilityId);
  if (named.length === 0) return undefined;
  return clarify('What comes nearest may not be meant', questionOfAbilities(named));
}
