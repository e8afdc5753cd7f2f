import type { EmbeddedRequest } from './embedder.js';
import { EmbeddingsFault } from './embeddings-endpoint.js';
import {
  type AbilityText,
  FITS,
  type Ranked,
  type Ranker,
  type Ranking,
  type RankQuery,
  USUAL_LIMIT,
} from './ranker.js';
import { WEIGHTS } from './weights.js';
import type { WordRanker } from './word-ranker.js';
import { findPhrases, type Phrase, phrasesOf, wordTexts } from './words.js';

/** The source of vectors; those of the abilities are in their order. */
export interface RequestVectors {
  /** @throws EmbeddingsFault. */
  embedRequest(text: string): Promise<EmbeddedRequest>;
}

/** The weights of words and meaning; measured on the tuning half, docs/choosing.md. */
const WHERE_WORDS_FIT = 0.1;
/** Where the first by words stands lower than this by meaning, words were perhaps shared by chance: so much of the strength is left. */
const DOUBT = { below: 3, left: 0.7 };

/**
 * Ranks by words and by meaning: reciprocal rank fusion of the two decides which ability comes where. Where words fit, they are right more
 * often than a small model, and meaning decides little; where they do not, both count the same.
 *
 * Whether anything fits, how many do and how well is what words say, less where meaning disagrees: the best score of the words goes to the
 * first of the fusion, and so on. Only places are compared, since a cosine means something else with each model.
 * Source: C-49; measured in docs/choosing.md.
 */
export class HybridRanker implements Ranker {
  private readonly not: Phrase[][];

  constructor(
    private readonly abilities: readonly AbilityText[],
    private readonly words: WordRanker,
    private readonly vectors: RequestVectors,
  ) {
    this.not = abilities.map(({ not }) => phrasesOf(not));
  }

  /** By words alone where a part of a request is taken away, which is a question about words, and where there are no vectors. */
  async rank(query: RankQuery): Promise<Ranking> {
    const { text, without } = query;
    if (without || text.trim() === '' || this.abilities.length === 0) return this.words.rank(query);
    try {
      const embedded = await this.vectors.embedRequest(sent(text));
      return { ranked: this.rankNow(query, embedded), ranker: 'hybrid' };
    } catch (error) {
      if (!(error instanceof EmbeddingsFault)) throw error;
      return { ...(await this.words.rank(query)), warning: warningOf(error.message) };
    }
  }

  /** As {@link rank} where there are vectors; it waits for nothing. */
  rankNow(query: RankQuery, embedded: EmbeddedRequest): Ranked[] {
    const { text, among, limit = USUAL_LIMIT } = query;
    const byWords = this.words.rankNow({ ...query, limit: this.abilities.length });
    const near = this.nearTo(text, embedded).filter(({ id }) => among?.has(id) ?? true);
    const likeness = new Map(near.map((one) => [one.id, one]));
    const said = new Map(byWords.map((one) => [one.id, one]));
    const scores = scoresOf(byWords, near);
    const isFit = (scores[0] ?? 0) >= FITS;
    const order = fuseRanks([
      { ids: byWords.map(({ id }) => id), weight: 1 },
      { ids: near.map(({ id }) => id), weight: isFit ? WHERE_WORDS_FIT : 1 },
    ]);
    return order.slice(0, limit).map((id, at) => {
      const { words = [], stems = [] } = said.get(id) ?? {};
      const { cosine = 0, against = [] } = likeness.get(id) ?? {};
      return { id, score: scores[at] ?? 0, words, stems, against, likeness: cosine };
    });
  }

  /** The nearest first; a word that an ability is not for is held against it here, too. Source: C-40. */
  private nearTo(text: string, { request, abilities }: EmbeddedRequest): Near[] {
    const words = wordTexts(text);
    const all = this.abilities.map(({ id }, at) => {
      const cosine = cosineOf(request, abilities[at] ?? NOTHING);
      const against = findPhrases(this.not[at] ?? [], words);
      return {
        id,
        cosine,
        against,
        standing: against.length > 0 ? Math.min(cosine, cosine * WEIGHTS.penalty) : cosine,
      };
    });
    return all.sort((one, other) => other.standing - one.standing);
  }
}

interface Near {
  id: string;
  cosine: number;
  against: string[];
}

const NOTHING = new Float32Array();

/** Of vectors of length 1. */
function cosineOf(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < other.length; at += 1) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}

/** The scores that the words give, highest first; words of grammar alone let nothing fit. */
function scoresOf(byWords: readonly Ranked[], near: readonly Near[]): number[] {
  const all = byWords.map(({ score, words }) => (words.length > 0 ? score : Math.min(score, FITS / 2)));
  const isDoubted = near.findIndex(({ id }) => id === byWords[0]?.id) >= DOUBT.below;
  return all.map((score) => (isDoubted ? weakened(score, DOUBT.left) : score)).sort((one, other) => other - one);
}

/** The score of so much of the strength. */
function weakened(score: number, left: number): number {
  const strength = (score / (1 - score)) * left;
  return strength / (strength + 1);
}

/** The note for a request that was ranked by words although vectors were configured. @param reason a sentence without a full stop. */
export function warningOf(reason: string): string {
  return `ranked by words alone: ${reason}`;
}

/** The text of an ability that is sent: its name and the uses that people describe; its parameters do not describe its use. */
export function meaningOf({ id, texts: { name = [], summary = [], uses = [], keywords = [] } }: AbilityText): string {
  const names = [...new Set([id, ...name].map((one) => wordTexts(one).join(' ')))];
  return sent([...names, ...summary, ...uses, ...keywords].filter((part) => part.trim() !== '').join('. '));
}

/** Longer texts are cut; models read a few hundred words of them. Characters. */
const MAX_SENT = 2000;

/** The part of a text that is sent: its beginning, without half a character, which some servers cannot read. */
export function sent(text: string): string {
  return text.slice(0, MAX_SENT).replace(/\p{Surrogate}/gu, ' ');
}

/** How little the first places count for more than the next ones. Source: Cormack, Clarke and Büttcher, SIGIR 2009. */
const K = 60;

/** A ranking of ids, best first, and how much it counts for. */
export interface Fusable {
  ids: readonly string[];
  weight: number;
}

/**
 * Reciprocal rank fusion: an item high in several rankings comes first. Each place counts weight / (60 + place), counted from 1; ties keep
 * the order of the first ranking that has them.
 */
export function fuseRanks(rankings: readonly Fusable[]): string[] {
  const worth = new Map<string, number>();
  for (const { ids, weight } of rankings)
    for (const [at, id] of ids.entries()) worth.set(id, (worth.get(id) ?? 0) + weight / (K + at + 1));
  return [...worth].sort((one, other) => other[1] - one[1]).map(([id]) => id);
}
