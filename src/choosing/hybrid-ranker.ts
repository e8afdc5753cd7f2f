import type { EmbeddedRequest, Embedder } from '../models/embedder.js';
import { EmbeddingsFault } from '../models/embeddings-endpoint.js';
import {
  type AbilityText,
  FITS,
  type Ranked,
  type Ranker,
  type Ranking,
  type RankQuery,
  USUAL_LIMIT,
  WEIGHTS,
} from './ranker.js';
import { requestOf } from './request-of.js';
import type { WordRanker } from './word-ranker.js';
import { wordTexts } from './words.js';

export type RequestVectors = Pick<Embedder, 'embedRequest'>;

/** The weight of meaning where words fit; measured on one half of public sets. */
const WHERE_WORDS_FIT = 0.1;
/** If the best by words ranks lower than `below` by meaning, its strength is multiplied by `left`. */
const UNCERTAIN = { below: 3, left: 0.7 };

/**
 * Orders abilities by reciprocal rank fusion of words and meaning. Where words fit, they are right more often than
 * a small model, so meaning counts little; elsewhere both count the same. The scores are those of the words, in
 * descending order and reduced where meaning disagrees. Only ranks are compared, since the scale of cosines
 * differs between models. Source: C-49.
 */
export class HybridRanker implements Ranker {
  constructor(
    private readonly abilities: readonly AbilityText[],
    private readonly words: WordRanker,
    private readonly vectors: RequestVectors,
  ) {}

  /** Ranks by words alone if there are no vectors, or if `without` removes words of the request. */
  async rank(query: RankQuery): Promise<Ranking> {
    const { text, without } = query;
    if (without || text.trim() === '' || this.abilities.length === 0) return this.words.rank(query);
    try {
      const embedded = await this.vectors.embedRequest(sent(requestOf(text)));
      return { ranked: this.rankNow(query, embedded), ranker: 'hybrid' };
    } catch (error) {
      if (!(error instanceof EmbeddingsFault)) throw error;
      return { ...(await this.words.rank(query)), warning: warningOf(error.message) };
    }
  }

  /** As {@link rank}, with existing vectors and synchronous. */
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

  /** Nearest first. "Not for" words of an ability lower its rank here, too. Source: C-40. */
  private nearTo(text: string, { request, abilities }: EmbeddedRequest): Near[] {
    const against = this.words.against(text);
    const all = this.abilities.map(({ id }, at) => {
      const cosine = cosineOf(request, abilities[at]);
      const adjusted = against.has(at) ? Math.min(cosine, cosine * WEIGHTS.penalty) : cosine;
      return { id, cosine, adjusted, against: against.get(at) ?? [] };
    });
    return all.sort((one, other) => other.adjusted - one.adjusted);
  }
}

interface Near {
  id: string;
  cosine: number;
  against: string[];
}

/** Both vectors must have length 1. */
function cosineOf(one: Float32Array, other: Float32Array = new Float32Array()): number {
  let sum = 0;
  for (let at = 0; at < other.length; at += 1) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}

/** The scores by words, highest first; stop words alone do not reach {@link FITS}. */
function scoresOf(byWords: readonly Ranked[], near: readonly Near[]): number[] {
  const all = byWords.map(({ score, words }) => (words.length > 0 ? score : Math.min(score, FITS / 2)));
  const weakened = (score: number): number => {
    const strength = (score / (1 - score)) * UNCERTAIN.left;
    return strength / (strength + 1);
  };
  const isUncertain = near.findIndex(({ id }) => id === byWords[0]?.id) >= UNCERTAIN.below;
  return all.map((score) => (isUncertain ? weakened(score) : score)).sort((one, other) => other - one);
}

/** The warning of a ranking without vectors. @param reason a sentence without a full stop. */
export function warningOf(reason: string): string {
  return `ranked by words alone: ${reason}`;
}

/** The text to embed: name and described uses. Parameters say nothing about the use. */
export function meaningOf({ id, texts: { name = [], summary = [], uses = [], keywords = [] } }: AbilityText): string {
  const names = [...new Set([id, ...name].map((one) => wordTexts(one).join(' ')))];
  return sent([...names, ...summary, ...uses, ...keywords].filter((part) => part.trim() !== '').join('. '));
}

/** The maximum length of a text to embed; models read a few hundred words. Characters. */
const MAX_SENT = 2000;

/** Truncates a text; replaces half surrogate pairs, which some servers cannot read. */
export function sent(text: string): string {
  return text.slice(0, MAX_SENT).replace(/\p{Surrogate}/gu, ' ');
}

/** Larger: the first places weigh less. Source: Cormack, Clarke and Büttcher, SIGIR 2009. */
const K = 60;

/** Each rank counts weight / (60 + rank), from 1; ties keep the order of the first ranking that has them. */
export function fuseRanks(rankings: readonly { ids: readonly string[]; weight: number }[]): string[] {
  const worth = new Map<string, number>();
  for (const { ids, weight } of rankings)
    for (const [at, id] of ids.entries()) worth.set(id, (worth.get(id) ?? 0) + weight / (K + at + 1));
  return [...worth].sort((one, other) => other[1] - one[1]).map(([id]) => id);
}
