import { type AbilityText, type Ranked, type Ranker, type Ranking, type RankQuery, USUAL_LIMIT } from './ranker.js';
import { isLong, requestOf, sentencesOf } from './request-of.js';
import { WEIGHTS, type Weights } from './weights.js';
import { type Postings, WordIndex } from './word-index.js';
import { findPhrases, joinedNeighbours, namesIn, type Word, wordsIn, wordTexts } from './words.js';

/** A word of a request, or an indexed word with the same beginning. */
interface Term {
  /** As written in the request, in lower case. */
  text: string;
  requested: string;
  /** Worth times rarity. */
  weight: number;
  isStop: boolean;
  postings: Postings | undefined;
}

/**
 * BM25F over the parts of an ability, with stems, stop words that count less, and words that begin alike. Learns
 * nothing from requests; it uses the texts of the abilities and {@link WEIGHTS}.
 */
export class WordRanker implements Ranker {
  private readonly ids: string[];
  private readonly index: WordIndex;

  constructor(
    private readonly abilities: readonly AbilityText[],
    private readonly weights: Weights = WEIGHTS,
  ) {
    this.ids = abilities.map(({ id }) => id);
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
      (place) => strengths[place] !== 0 && (among?.has(this.ids[place] ?? '') ?? true),
    );
    places.sort((one, other) => (strengths[other] ?? 0) - (strengths[one] ?? 0) || one - other);
    return places.slice(0, limit).map((place) => {
      const share = strengths[place] ?? 0;
      const score = share / (share + this.weights.even);
      return { id: this.ids[place] ?? '', score, ...sharedWith(terms, place), against: against.get(place) ?? [] };
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
    const best = new Float64Array(this.ids.length);
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
    const joined = joinedNeighbours(said).filter(({ stem, kind }) => kind === 'content' && this.index.find(stem));
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
    return { text, requested, weight, isStop: kind === 'stop', postings: this.index.find(stem) };
  }

  /** In strengths of one rare word; lower for long requests and abilities, which match something everywhere. */
  private strengthsOf(terms: readonly Term[], text: string): Float64Array {
    const strengths = new Float64Array(this.ids.length);
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
