/** The numbers of the ranker, tuned on one half of the open sets by `npm run eval:routing -- --tune`: docs/choosing.md. */
export const WEIGHTS = {
  /** The weight of a word in each part of an ability. */
  field: {
    id: 2,
    name: 1,
    module: 1,
    server: 1,
    summary: 1,
    uses: 1,
    parameters: 0.5,
    examples: 0.5,
    keywords: 2,
  },
  /** Length normalization of each part: 0 none, 1 proportional. */
  length: 0.3,
  /** The higher, the more a repeated word counts. */
  saturation: 2,
  /** The weight of a stop word of an ability. */
  stop: 0.25,
  /** The maximum rarity of stop words and of common words. */
  maxRarity: { stop: 2, common: 2.5 },
  number: 0.3,
  /** The weight of a word that only begins alike, and the minimum likeness (0 to 1). */
  alike: { worth: 0.5, from: 0.7 },
  /** Added to the number of abilities, so that rarity works in small projects, too. */
  background: 50,
  /** How strongly scores are lowered: by the logarithm of the request's length, by a power of the ability's. */
  long: { request: 0.4, ability: 0.3 },
  /** In long texts, the weight of what is no request: of its words, and of its sentences. */
  aside: { words: 0.5, sentences: 0.3 },
  /** The strength with score 0.5. */
  even: 0.42,
  /** The strength is multiplied by this if the request has a "not for" word of the ability. */
  penalty: 0.4,
};

export type Weights = typeof WEIGHTS;

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
