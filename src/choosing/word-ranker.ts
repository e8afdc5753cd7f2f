import {
  type AbilityText,
  type Field,
  type Ranked,
  type Ranker,
  type Ranking,
  type RankQuery,
  USUAL_LIMIT,
  WEIGHTS,
  type Weights,
} from './ranker.js';
import { isLong, requestOf, sentencesOf } from './request-of.js';
import { findPhrases, isTypoOf, joinedNeighbours, namesIn, type Word, wordsIn, wordTexts } from './words.js';

/** A word of a request, or an indexed word with the same beginning. */
interface Term {
  /** As written in the request, in lower case. */
  text: string;
  requested: string;
  /** Worth times rarity. */
  weight: number;
  isStop: boolean;
  postings: ReadonlyMap<number, number> | undefined;
}

/**
 * BM25F over the parts of an ability, with stems, stop words that count less, and words that begin alike. Learns
 * nothing from requests; it uses the texts of the abilities and {@link WEIGHTS}.
 */
export class WordRanker implements Ranker {
  private readonly index: WordIndex;

  constructor(
    private readonly abilities: readonly AbilityText[],
    private readonly weights: Weights = WEIGHTS,
  ) {
    this.index = new WordIndex(abilities, weights);
  }

  async rank(query: RankQuery): Promise<Ranking> {
    return { ranked: this.rankNow(query), ranker: 'words' };
  }

  /** {@link rank}, synchronously. */
  rankNow({ text, among, without, limit = USUAL_LIMIT }: RankQuery): Ranked[] {
    const { terms, strengths } = isLong(text) ? this.inLong(text, without) : this.inShort(text, without);
    const against = this.against(text);
    for (const place of against.keys()) strengths[place] = (strengths[place] ?? 0) * this.weights.penalty;
    const places = [...strengths.keys()].filter(
      (place) => strengths[place] !== 0 && (among?.has(this.abilities[place]?.id ?? '') ?? true),
    );
    places.sort((one, other) => (strengths[other] ?? 0) - (strengths[one] ?? 0) || one - other);
    return places.slice(0, limit).map((place) => {
      const share = strengths[place] ?? 0;
      const score = share / (share + this.weights.even);
      return {
        id: this.abilities[place]?.id ?? '',
        score,
        ...sharedWith(terms, place),
        against: against.get(place) ?? [],
      };
    });
  }

  /** The "not for" words that a text has, by ability index. */
  against(text: string): Map<number, string[]> {
    const words = wordTexts(text);
    const found = this.abilities.map(({ not }, place) => [place, findPhrases(not, words)] as const);
    return new Map(found.filter(([, phrases]) => phrases.length > 0));
  }

  private inShort(text: string, without?: ReadonlySet<string>): { terms: Term[]; strengths: Float64Array } {
    const terms = this.termsOf(text, without);
    return { terms, strengths: this.strengthsOf(terms, text) };
  }

  /** The mean of the whole text and of its best sentence; what is no request counts less in both. */
  private inLong(text: string, without?: ReadonlySet<string>): { terms: Term[]; strengths: Float64Array } {
    const { words, sentences } = this.weights.aside;
    const request = requestOf(text);
    const all = text.replace(/^\s*(```|~~~)[\s\S]*?^\s*\1/gm, '\n');
    const asked = new Set(sentencesOf(request));
    const others = sentencesOf(all).filter((sentence) => !asked.has(sentence));
    const best = new Float64Array(this.abilities.length);
    for (const [part, worth] of [
      ...[...asked].map((one) => [one, 1] as const),
      ...others.slice(-MAX_ASIDE).map((one) => [one, sentences] as const),
    ])
      for (const [place, strength] of this.inShort(part, without).strengths.entries())
        best[place] = Math.max(best[place] ?? 0, worth * strength);
    const terms = this.termsOf(request, without);
    const known = new Set(terms.map(({ requested }) => requested));
    for (const term of this.termsOf(all, without))
      if (!known.has(term.requested)) terms.push({ ...term, weight: term.weight * words });
    const strengths = this.strengthsOf(terms, text).map((strength, place) => (strength + (best[place] ?? 0)) / 2);
    return { terms, strengths };
  }

  /** Each word counts once, however often it is repeated. */
  private termsOf(text: string, without?: ReadonlySet<string>): Term[] {
    const words = new Map<string, Word>();
    const said = wordsIn(text);
    const joined = joinedNeighbours(said).filter(
      ({ stem, kind }) => kind === 'content' && this.index.postings.get(stem),
    );
    for (const word of [...said, ...joined])
      if (!words.has(word.stem) && !without?.has(word.stem)) words.set(word.stem, word);
    return [...words.values()].flatMap((word) => {
      const own = this.term(word, word.stem, 1);
      if (own.postings || word.kind === 'stop' || word.kind === 'number') return [own];
      const { worth } = this.weights.alike;
      return [own, ...this.index.alike(word.stem).map(({ stem, likeness }) => this.term(word, stem, worth * likeness))];
    });
  }

  private term({ text, stem: requested, kind }: Word, stem: string, worth: number): Term {
    const { number, maxRarity } = this.weights;
    const isLimited = kind === 'stop' || kind === 'common';
    const rarity = Math.min(this.index.rarity(stem), isLimited ? maxRarity[kind] : Number.POSITIVE_INFINITY);
    const weight = worth * rarity * (kind === 'number' ? number : 1);
    return { text, requested, weight, isStop: kind === 'stop', postings: this.index.postings.get(stem) };
  }

  /** In strengths of one rare word; lower for long requests and abilities, which match something everywhere. */
  private strengthsOf(terms: readonly Term[], text: string): Float64Array {
    const strengths = new Float64Array(this.abilities.length);
    const { saturation, long } = this.weights;
    for (const { weight, postings } of terms)
      for (const [place, much] of postings ?? [])
        strengths[place] = (strengths[place] ?? 0) + (weight * much * (saturation + 1)) / (much + saturation);
    const { highest, bulk } = this.index;
    const names = namesIn(text);
    const about = terms.filter((term) => !names.has(term.text));
    const words = about.reduce((sum, { weight, isStop }) => sum + weight * (isStop ? STOP_IN_REQUEST : 1), 0) / highest;
    const scale = highest * (1 + long.request * Math.log(Math.max(1, words)));
    return strengths.map((strength, place) => strength / scale / ((bulk[place] ?? 0) + SHORTEST) ** long.ability);
  }
}

/** The weight of a stop word in the length of a request. */
const STOP_IN_REQUEST = 0.1;
/** Added to what an ability says, so that almost nothing is not infinitely good; in rare words. */
const SHORTEST = 0.3;
/** Of the sentences that are no request, only so many are ranked, from the end: each costs time. */
const MAX_ASIDE = 12;

/** Shared words and stems, highest weight first, without stop words. */
function sharedWith(terms: readonly Term[], place: number): Pick<Ranked, 'words' | 'stems'> {
  const shared = terms.filter((term) => !term.isStop && term.postings?.has(place));
  shared.sort((one, other) => other.weight - one.weight);
  const words = [...new Set(shared.map(({ text }) => text))].filter((word) => word.length > 1);
  return { words, stems: [...new Set(shared.map(({ requested }) => requested))] };
}

/** Inverted index of stems. Immutable after construction. */
class WordIndex {
  /** The upper bound of {@link rarity}. */
  readonly highest: number;
  /** How much text each ability has, in rare words. */
  readonly bulk: Float64Array;
  /** How much of a stem the abilities (by index) have. */
  readonly postings = new Map<string, Map<number, number>>();
  /** First letter to stems; used for request words that no ability has. */
  private readonly initials: Record<string, string[]> = {};

  constructor(
    private readonly abilities: readonly AbilityText[],
    private readonly weights: Weights,
  ) {
    for (const field of Object.keys(weights.field) as Field[]) this.addAll(field);
    this.highest = this.rarity('');
    this.bulk = new Float64Array(abilities.length);
    for (const [stem, places] of this.postings) {
      const rarity = this.rarity(stem) / this.highest;
      for (const [place, amount] of places) this.bulk[place] = (this.bulk[place] ?? 0) + rarity * amount;
      if (stem.length >= BEGINNING) (this.initials[stem[0] ?? ''] ??= []).push(stem);
    }
  }

  /** The weight of a stem: the rarer, the higher. */
  rarity(stem: string): number {
    const having = this.postings.get(stem)?.size ?? 0;
    return Math.log(1 + (this.abilities.length + this.weights.background - having + 0.5) / (having + 0.5));
  }

  /** Stems that begin like an unknown stem, or of which it is a typo, and their likeness (0 to 1). */
  alike(stem: string): { stem: string; likeness: number }[] {
    const beginning = Math.min(BEGINNING, stem.length);
    return (this.initials[stem[0] ?? ''] ?? [])
      .map((other) => {
        const isLike = beginning >= MIN_BEGINNING && other.startsWith(stem.slice(0, beginning));
        const likeness = isLike ? likenessOf(stem, other) : isTypoOf(stem, other) ? TYPO : 0;
        return { stem: other, likeness };
      })
      .filter(({ likeness }) => likeness >= this.weights.alike.from);
  }

  private addAll(field: Field): void {
    const { field: weight, length, stop } = this.weights;
    const said = this.abilities.map(({ texts }) => (texts[field] ?? []).flatMap(wordsIn));
    const usual = meanOf(said.map((words) => words.length).filter(Boolean));
    for (const [place, words] of said.entries()) {
      const share = weight[field] / (1 - length + (length * words.length) / usual);
      for (const { stem, kind } of words) {
        const places = this.postings.get(stem) ?? new Map<number, number>();
        this.postings.set(stem, places.set(place, (places.get(place) ?? 0) + share * (kind === 'stop' ? stop : 1)));
      }
    }
  }
}

const BEGINNING = 5;
/** An abbreviation, such as `cert`. */
const MIN_BEGINNING = 4;
/** The likeness of a word and its typo. */
const TYPO = 0.9;

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

/** The share of the common beginning in both stems. */
function likenessOf(one: string, other: string): number {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same += 1;
  return (2 * same) / (one.length + other.length);
}
