import type { Weights } from './weights.js';

/** A part of an ability that is ranked, with a weight of its own. */
export type Field = keyof Weights['field'];

export interface AbilityText {
  id: string;
  texts: Partial<Record<Field, readonly string[]>>;
  /** Words and phrases that lower its rank if a request has them as whole words. Source: C-40. */
  not: readonly string[];
}

export interface RankQuery {
  text: string;
  /** Only these ids are ranked; absent: all. */
  among?: ReadonlySet<string> | undefined;
  /** Stems of the text to ignore, because another ability covers them. */
  without?: ReadonlySet<string>;
  /** The maximum number of results; absent: {@link USUAL_LIMIT}. */
  limit?: number;
}

export const USUAL_LIMIT = 50;

export interface Ranked {
  id: string;
  /** From 0 to 1, comparable between requests. From {@link FITS} on, the ability is offered. */
  score: number;
  /** Words that it shares with the request, as written there, highest weight first. */
  words: string[];
  stems: string[];
  /** Those of its "not for" words that the request contains. */
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
  /** Why a hybrid ranker used words only: one sentence without a full stop. */
  warning?: string;
}

export interface Ranker {
  /** Never fails because of another process. Ranking by words omits abilities that share no word. */
  rank(query: RankQuery): Promise<Ranking>;
}

/** The minimum score of an offer. Scores are calibrated to this threshold: docs/choosing.md. */
export const FITS = 0.5;
