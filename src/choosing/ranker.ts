/** The parts of an ability that its texts are kept by; each has a weight. */
export const FIELDS = [
  'id',
  'name',
  'module',
  'server',
  'summary',
  'uses',
  'parameters',
  'examples',
  'keywords',
] as const;

/** One of {@link FIELDS}. */
export type Field = (typeof FIELDS)[number];

/** A ranker's view of an ability: texts, and nothing of its effects. */
export interface AbilityText {
  id: string;
  texts: Partial<Record<Field, readonly string[]>>;
  /** Words and phrases of requests that it is not for; whole words. Source: C-40. */
  not: readonly string[];
}
/** The interface of all rankers. */

/** A request, and the abilities to rank for it. */
export interface RankQuery {
  text: string;
  /** Only these ids are ranked; absent: all. */
  among?: ReadonlySet<string>;
  /** Stems of the text that count for nothing: another ability covers them. */
  without?: ReadonlySet<string>;
  /** The maximum number of results; absent: {@link USUAL_LIMIT}. */
  limit?: number;
}

/** The default limit of a ranking. */
export const USUAL_LIMIT = 50;

/** An ability that has something of the request. */
export interface Ranked {
  id: string;
  /** How well it fits, from 0 to 1. From {@link FITS} on it is worth offering; below, it is a guess. Comparable between requests. */
  score: number;
  /** Words of the request that it has, the weightiest first, as they were written. */
  words: string[];
  /** Their stems. */
  stems: string[];
  /** Which of its words "not for" the request has. */
  against: string[];
  /** How near it is in meaning, the cosine of the two vectors; absent: only words were compared. */
  likeness?: number;
}

/** A ranking, and what made it. Source: C-49. */
export interface Ranking {
  /** Best first; ties keep the order of the abilities. */
  ranked: Ranked[];
  /** `hybrid`: by words and by meaning. */
  ranker: 'words' | 'hybrid';
  /** Why a hybrid ranked by words alone, in one sentence without a full stop. */
  warning?: string;
}

/** Ranks abilities by how well they fit a request. */
export interface Ranker {
  /** Never fails because of another process. When ranking by words, abilities that share nothing with the request are left out. */
  rank(query: RankQuery): Promise<Ranking>;
}

/** Nothing below this score is offered. What scores are made of is measured so that this is the best place to abstain: docs/choosing.md. */
export const FITS = 0.5;
