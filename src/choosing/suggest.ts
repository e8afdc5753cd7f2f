/** Suggests abilities. Source: R-000-15, R-000-16, C-39; docs/choosing.md#how-abilities-are-ranked. */
import { isReading } from '../contracts/effects.js';
import { escapePattern } from '../text/escape-pattern.js';
import { matchesAnyGlob } from '../text/glob.js';
import { listed } from '../text/listed.js';
import { modulePath } from '../text/module-path.js';
import type { AbilityPool } from './ability-pool.js';
import { accountInPool, isLooking } from './account-for.js';
import { isAbout } from './decide/signals.js';
import { FITS, type Ranked, type Ranking, type RankQuery } from './ranker.js';
import type { ChoosableAbility } from './read-abilities.js';
import { type ReadInputs, readInputs } from './read-inputs.js';
import { isLong, requestOf } from './request-of.js';
import { STOP_WORDS, wordTexts } from './words.js';

export interface Suggestion extends ReadInputs {
  id: string;
  level: 'high' | 'low';
  /** From 0 to 1; at least {@link FITS}. */
  score: number;
  /** One sentence without a full stop. */
  reason: string;
  /** Why it cannot run in the environment, without a full stop. Only of what fits better than all that can. */
  unavailable?: string;
}

export interface Suggested extends Omit<Ranking, 'ranked'> {
  /** Best first; empty if nothing fits. If what fits best cannot run here, nothing else is suggested. */
  suggestions: Suggestion[];
  /** The nearest ids, if nothing fits; ask the user before calling one. */
  nearest: string[];
  /** At most three documents that routing pages link to, as `read:<path>`. */
  documents: string[];
  /** Asks for the missing inputs of the first suggestion; null if there are none. */
  question: string | null;
}

export interface SuggestionRequest extends Pick<RankQuery, 'text' | 'among'> {
  /** 5 by default. */
  limit?: number;
  /** The minimum score; absent: {@link FITS}. */
  from?: number;
}

/**
 * What fits, in the order of {@link ordering}: only what can run, unless something else fits better than all of it. Leaves out a
 * low-level ability if a high-level one before it covers its words of the request.
 */
export async function suggest(
  pool: AbilityPool,
  { text, limit = 5, among, from = FITS }: SuggestionRequest,
): Promise<Suggested> {
  const requested = requestOf(text);
  const { ranked, ...by } = await pool.ranker.rank({ text: text.replaceAll(ADDRESSES, ' '), among });
  const candidates = withNamed(pool, requested, ranked, among).flatMap((one) => candidateOf(pool, one));
  const fitting = candidates.filter(({ ranked: one }) => one.score >= from && (one.score < FITS || says(one)));
  const pages = (await pool.documents.rank({ text, limit: 3 })).ranked;
  const documents = pages.filter(({ score, words }) => score >= FITS && words.length > 0).map(({ id }) => id);
  if (fitting.length === 0) return { suggestions: [], nearest: nearestOf(ranked), documents, question: null, ...by };
  const { ordered, isHere } = availableOf(ordering(pool, requested, fitting, isLong(text)));
  const nearest = isHere ? [] : nearestOf(ranked.filter(({ id }) => pool.abilities.get(id)?.unavailable === null));
  const needed = isHere ? await withoutCovered(pool, requested, ordered) : ordered;
  const suggestions = needed.slice(0, limit).map((candidate) => suggestionOf(candidate, requested));
  return { suggestions, nearest, documents, question: isHere ? questionFor(suggestions[0]) : null, ...by };
}

/** Addresses, URLs, host names, ids such as `u-billing-42`, and sub-agents: their parts say nothing of an ability. */
export const ADDRESSES =
  /\bsub-?\s?agents?\b|\S+@\S+|https?:\/\/\S+|(?<![\w.-])[\w-]+(?:\.[\w-]+)*\.(?:com|org|net|io|dev|test|example|local|internal)(?![\w-])|(?<![\w./:-])\p{L}+(?:[-_]\p{L}+)*[-_]\p{N}\w*(?![\w/-])/giu;

/** Those that can run, unless one that cannot fits better than all of them: then only such. */
function availableOf(ordered: readonly Candidate[]): { ordered: Candidate[]; isHere: boolean } {
  const here = ordered.filter(({ ability }) => ability.unavailable === null);
  const best = Math.max(0, ...here.map(({ ranked: { score } }) => score));
  const isWhole = here.some((candidate) => candidate.isWhole);
  const elsewhere = ordered.filter(({ ability, ranked: { score }, isWhole: whole }) => {
    return ability.unavailable !== null && (whole || !isWhole) && (score > best || (whole && !isWhole));
  });
  return elsewhere.length > 0 ? { ordered: elsewhere, isHere: false } : { ordered: here, isHere: true };
}

/** A request that has the id of an ability names it, however else it ranks. */
function withNamed(
  { abilities }: AbilityPool,
  text: string,
  ranked: readonly Ranked[],
  among: ReadonlySet<string> | undefined,
): Ranked[] {
  const plain = text.toLowerCase();
  const ids = [...abilities.keys()].filter((id) => !among || among.has(id));
  const named = ids.filter((id) => plain.includes(id.toLowerCase()) && isNamedIn(id.toLowerCase(), plain));
  const others = ranked.filter(({ id }) => !named.includes(id));
  const known = new Map(ranked.map((one) => [one.id, one]));
  const first = named.map((id): Ranked => {
    const { score: before = 0, ...one } = known.get(id) ?? { stems: [], against: [], words: [] };
    const score = Math.max(before, /[._-]/.test(id) ? NAMED : FITS);
    return { ...one, id, words: [...new Set([id, ...one.words])], score };
  });
  return [...first, ...others];
}

const NAMED = 0.99;

/**
 * As a whole word: `db.read` is not named by `db.read.user_row`. An id that is an ordinary word must be the whole
 * text, or a greeting and the like, which no search would find.
 */
function isNamedIn(id: string, text: string): boolean {
  if (!/[._-]/.test(id)) return STOP_WORDS.has(id) ? wordTexts(text).includes(id) : text.trim() === id;
  return new RegExp(`(?<![\\p{L}\\p{N}_.-])${escapePattern(id)}(?![\\p{L}\\p{N}_-]|\\.[\\p{L}\\p{N}])`, 'u').test(text);
}

/** Whether it shares a word other than stop words, or was compared by meaning. */
function says({ words, likeness }: Ranked): boolean {
  return words.length > 0 || likeness !== undefined;
}

function nearestOf(ranked: readonly Ranked[]): string[] {
  return ranked
    .filter(says)
    .slice(0, 3)
    .map(({ id }) => id);
}

interface Candidate {
  ranked: Ranked;
  ability: ChoosableAbility;
  isHere: boolean;
  /** The strength after deductions for scope and status; proportional to the weight of shared words. */
  adjusted: number;
  /** It is an order to this one; then also if each word is accounted for. */
  isOrder: boolean;
  isWhole: boolean;
  /** The number of content words that are not accounted for. */
  unused: number;
}

/** The strength of abilities outside of the scope, and of deprecated ones, is multiplied by these. */
const ELSEWHERE = 0.75;
const DEPRECATED = 0.5;
/** Abilities with this share of the best strength count as equally good. */
const ABOUT = 0.7;

function candidateOf({ abilities, scope }: AbilityPool, ranked: Ranked): Candidate[] {
  const ability = abilities.get(ranked.id);
  if (!ability) return [];
  const isHere = isInScope(ability, scope);
  const isDeprecated = ability.definition.status === 'deprecated';
  const strength = ranked.score / (1 - ranked.score);
  const adjusted =
    strength * (isHere ? (ability.scopes.length > 0 ? 1 / ELSEWHERE : 1) : ELSEWHERE) * (isDeprecated ? DEPRECATED : 1);
  return [{ ranked, ability, isHere, adjusted, isOrder: false, isWhole: false, unused: Number.POSITIVE_INFINITY }];
}

/**
 * Near the best come those of this scope (whose hints name it first), then those that account for the whole request.
 * If they are of several kinds (high-level, a change, a read), first what accounts for all of it, or leaves least of it
 * over, or is what it is an order to, then those of this scope, then high-level ones. All others follow by strength.
 */
function ordering(pool: AbilityPool, text: string, candidates: readonly Candidate[], isPart: boolean): Candidate[] {
  const best = Math.max(...candidates.map(({ adjusted }) => adjusted));
  const isNear = ({ adjusted }: Candidate): boolean => adjusted >= best * ABOUT;
  const accounted = candidates.map((candidate, at) => {
    if (at >= MAX_ACCOUNTED) return candidate;
    const { isOrder, unused, rest } = accountInPool(pool, candidate.ability.id, text);
    return { ...candidate, isOrder, isWhole: isOrder && unused.length === 0, unused: rest };
  });
  const near = accounted.filter(isNear);
  const fewest = Math.min(...near.map(({ unused }) => unused));
  const isMixed = new Set(near.map(({ ability }) => `${ability.level} ${changes(ability)}`)).size > 1;
  const isLook = isLooking(text) || isAbout(text);
  const tier = (one: Candidate): number => {
    if (isLook && !one.isOrder && changes(one.ability)) return -1;
    const whole = one.isWhole ? (isMixed ? 32 : 2) : 0;
    if (!isNear(one)) return isMixed ? whole : 0;
    const isHinted = pool.scope !== null && one.isHere && one.ability.scopes.length > 0;
    const place = (one.isHere ? 4 : 0) + (isHinted ? 2 : 0) + (one.ability.level === 'high' ? 1 : 0);
    const order = isMixed || isPart ? (one.isOrder ? 8 : 0) + (one.unused <= fewest ? 16 : 0) : 0;
    return 1 + place + order + whole;
  };
  return accounted.sort((one, other) => tier(other) - tier(one) || other.adjusted - one.adjusted);
}

/** As far as it declares effects, which only low-level ones do. */
function changes({ definition }: ChoosableAbility): boolean {
  return 'effects' in definition && !isReading(definition.effects);
}

/** Of the best, so many are compared word by word. */
const MAX_ACCOUNTED = 8;

/** Drops low-level abilities whose matching words a high-level one covers that fits about as well. */
async function withoutCovered(
  { ranker }: AbilityPool,
  text: string,
  ordered: readonly Candidate[],
): Promise<Candidate[]> {
  const kept: Candidate[] = [];
  for (const candidate of ordered) {
    const { ability, adjusted } = candidate;
    const high = kept.filter((other) => other.ability.level === 'high' && other.adjusted >= adjusted * ABOUT);
    const over = ability.level === 'high' ? [] : high;
    if (over.length > 0) {
      const without = new Set(over.flatMap(({ ranked: { stems } }) => stems));
      const { ranked } = await ranker.rank({ text, among: new Set([ability.id]), without });
      if (!ranked.some(({ score, words }) => score >= FITS && words.length > 0)) continue;
    }
    kept.push(candidate);
  }
  return kept;
}

function suggestionOf(candidate: Candidate, text: string): Suggestion {
  const { id, level, unavailable, definition } = candidate.ability;
  const score = Math.round(candidate.ranked.score * 1000) / 1000;
  const read = readInputs(definition.input_schema, text);
  return { id, level, score, reason: reasonOf(candidate), ...read, ...(unavailable !== null && { unavailable }) };
}

function reasonOf({ ranked: { words, against, likeness }, ability, isHere }: Candidate): string {
  const places = [...ability.modules, ...ability.scopes];
  const parts = [
    ability.unavailable,
    words.length > 0 && `it has ${words.slice(0, 6).join(', ')} of the request`,
    likeness !== undefined && `its likeness in meaning is ${likeness.toFixed(2)}`,
    places.length > 0 && `it belongs to ${isHere ? 'this scope' : places.slice(0, 3).join(', ')}`,
    against.length > 0 && `it is not meant for ${against.join(', ')}, so it ranks lower`,
    ability.definition.status === 'deprecated' && 'it is deprecated, so it ranks lower',
  ];
  return parts.filter(Boolean).join('; ');
}

function questionFor(suggestion: Suggestion | undefined): string | null {
  if (suggestion === undefined || suggestion.missing.length === 0) return null;
  const wanted = suggestion.missing.map(({ name, description, choices }) => {
    const [about] = [description, choices && `one of ${choices.map(String).join(', ')}`].filter(Boolean);
    return about ? `${name} (${about.replace(/\.$/, '')})` : name;
  });
  return `${suggestion.id} needs ${listed(wanted, 'and')}. What should ${suggestion.missing.length > 1 ? 'they' : 'it'} be?`;
}

/**
 * Whether it names no place, a module in the scope, or the scope in its hints; others only rank lower.
 * @param scope such as `modules/users`; null: none. Source: R-000-31; docs/choosing.md#how-abilities-are-ranked.
 */
export function isInScope(
  { modules, scopes }: Pick<ChoosableAbility, 'modules' | 'scopes'>,
  scope: string | null,
): boolean {
  if (scope === null) return true;
  if (scopes.length > 0) return matchesAnyGlob(scopes, scope) || matchesAnyGlob(scopes, `${scope}.`);
  return modules.length === 0 || modules.some((module) => isWithin(modulePath(module), modulePath(scope)));
}

/** Whether they are equal, or one contains the other: `users` contains `users/api`. */
function isWithin(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}/`) || other.startsWith(`${one}/`);
}
