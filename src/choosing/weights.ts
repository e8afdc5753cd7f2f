import type { Field } from './ranker.js';

/** The numbers of the ranker that are tuned by measurement. */
export interface Weights {
  /** The weight of a word in each part of an ability. */
  field: Record<Field, number>;
  /** Length normalization of each part: 0 none, 1 proportional. */
  length: number;
  /** The higher, the more a repeated word counts. */
  saturation: number;
  /** The weight of a stop word of an ability. */
  stop: number;
  /** The maximum rarity of stop words and of common words. */
  maxRarity: { stop: number; common: number };
  number: number;
  /** The weight of a word that only begins alike, and the minimum likeness (0 to 1). */
  alike: { worth: number; from: number };
  /** Added to the number of abilities, so that rarity works in small projects, too. */
  background: number;
  /** How strongly scores are lowered: by the logarithm of the request's length, by a power of the ability's. */
  long: { request: number; ability: number };
  /** In long texts, the weight of what is no request: of its words, and of its sentences. */
  aside: { words: number; sentences: number };
  /** The strength with score 0.5. */
  even: number;
  /** The strength is multiplied by this if the request has a "not for" word of the ability. */
  penalty: number;
}

/** Tuned on one half of the open sets by `npm run eval:routing -- --tune`: docs/choosing.md. */
export const WEIGHTS: Weights = {
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
  length: 0.3,
  saturation: 2,
  stop: 0.25,
  maxRarity: { stop: 2, common: 2.5 },
  number: 0.3,
  alike: { worth: 0.5, from: 0.7 },
  background: 50,
  long: { request: 0.4, ability: 0.3 },
  aside: { words: 0.5, sentences: 0.3 },
  even: 0.42,
  penalty: 0.4,
};
