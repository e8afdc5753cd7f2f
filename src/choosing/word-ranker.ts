import { type AbilityText, type Ranked, type Ranker, type Ranking, type RankQuery, USUAL_LIMIT } from './ranker.js';
import { WEIGHTS, type Weights } from './weights.js';
import { type Postings, WordIndex } from './word-index.js';
import { findPhrases, joinedNeighbours, type Phrase, phrasesOf, type Word, wordsIn, wordTexts } from './words.js';

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
  private readonly not: Phrase[][];
  private readonly index: WordIndex;

  constructor(
    abilities: readonly AbilityText[],
    private readonly weights: Weights = WEIGHTS,
  ) {
    this.ids = abilities.map(({ id }) => id);
    this.not = abilities.map(({ not }) => phrasesOf(not));
    this.index = new WordIndex(abilities, weights);
  }

  async rank(query: RankQuery): Promise<Ranking> {
    return { ranked: this.rankNow(query), ranker: 'words' };
  }

  /** {@link rank}, synchronously. */
  rankNow({ text, among, without, limit = USUAL_LIMIT }: RankQuery): Ranked[] {
    const terms = this.termsOf(text, without);
    const strengths = this.strengthsOf(terms);
    const against = this.penalise(strengths, wordTexts(text));
    const places = [...strengths.keys()].filter(
      (place) => strengths[place] !== 0 && (among?.has(this.ids[place] ?? '') ?? true),
    );
    places.sort((one, other) => (strengths[other] ?? 0) - (strengths[one] ?? 0) || one - other);
    const scale = this.scaleOf(terms);
    return places.slice(0, limit).map((place) => {
      const share = (strengths[place] ?? 0) / scale;
      const score = share / (share + this.weights.even);
      return { id: this.ids[place] ?? '', score, ...sharedWith(terms, place), against: against.get(place) ?? [] };
    });
  }

  /** Weakens abilities with "not for" words in the request. @returns these words by ability index. */
  private penalise(strengths: Float64Array, words: readonly string[]): Map<number, string[]> {
    const against = new Map<number, string[]>();
    for (const [place, phrases] of this.not.entries()) {
      if (phrases.length === 0 || !strengths[place]) continue;
      const found = findPhrases(phrases, words);
      if (found.length === 0) continue;
      against.set(place, found);
      strengths[place] = strengths[place] * this.weights.penalty;
    }
    return against;
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
    const isNumber = kind === 'number' ? this.weights.number : 1;
    const rarity = Math.min(this.index.rarity(stem), this.maxRarity(kind));
    const weight = worth * isNumber * rarity;
    return { text, requested, weight, isStop: kind === 'stop', postings: this.index.find(stem) };
  }

  private maxRarity(kind: Word['kind']): number {
    const { stop, common } = this.weights.maxRarity;
    return kind === 'stop' ? stop : kind === 'common' ? common : Number.POSITIVE_INFINITY;
  }

  private strengthsOf(terms: readonly Term[]): Float64Array {
    const strengths = new Float64Array(this.ids.length);
    const { saturation } = this.weights;
    for (const { weight, postings } of terms) {
      if (!postings) continue;
      const { at, amount } = postings;
      for (let entry = 0; entry < at.length; entry += 1) {
        const place = at[entry] ?? 0;
        const much = amount[entry] ?? 0;
        strengths[place] = (strengths[place] ?? 0) + (weight * much * (saturation + 1)) / (much + saturation);
      }
    }
    return strengths;
  }

  /** The strength of one rare word, raised for long requests, which match something everywhere. */
  private scaleOf(terms: readonly Term[]): number {
    const { highest } = this.index;
    const words = terms.reduce((sum, { weight, isStop }) => sum + weight * (isStop ? STOP_IN_REQUEST : 1), 0) / highest;
    return highest * (1 + this.weights.requestLength * Math.log(Math.max(1, words)));
  }
}

/** The weight of a stop word in the length of a request. */
const STOP_IN_REQUEST = 0.1;

/** Shared words and stems, highest weight first, without stop words. */
function sharedWith(terms: readonly Term[], place: number): Pick<Ranked, 'words' | 'stems'> {
  const shared = terms.filter((term) => !term.isStop && amountAt(term.postings, place) > 0);
  shared.sort((one, other) => other.weight - one.weight);
  const words = [...new Set(shared.map(({ text }) => text))].filter((word) => word.length > 1);
  return { words, stems: [...new Set(shared.map(({ requested }) => requested))] };
}

function amountAt(postings: Postings | undefined, place: number): number {
  if (!postings) return 0;
  const { at, amount } = postings;
  let [low, high] = [0, at.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const found = at[middle] ?? 0;
    if (found === place) return amount[middle] ?? 0;
    if (found < place) low = middle + 1;
    else high = middle - 1;
  }
  return 0;
}
