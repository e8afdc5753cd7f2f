import type { Field } from './ranker.js';

/** The numbers of the ranker that are tuned by measurement. */
export interface Weights {
  /** The weight of a word in each part of an ability. */
  field: Record<Field, number>;
  /** Length normalization of each part: 0 none, 1 proportional. */
  length: Record<Field, number>;
  /** The higher, the more a repeated word counts. */
  saturation: number;
  /** The weight of a stop word: in descriptions (`said`), in uses and keywords (`uttered`). */
  stop: { said: number; uttered: number };
  /** The maximum rarity of stop words and of common words. */
  maxRarity: { stop: number; common: number };
  number: number;
  /** The weight of a word that only begins alike, and the minimum likeness (0 to 1). */
  alike: { worth: number; from: number };
  /** Added to the number of abilities, so that rarity works in small projects, too. */
  background: number;
  /** How strongly the logarithm of the request's length lowers scores. */
  requestLength: number;
  /** The strength with score 0.5. */
  even: number;
  /** The strength is multiplied by this if the request has a "not for" word of the ability. */
  penalty: number;
}

/** Tuned on one half of the open sets by `npm run eval:routing -- --tune`: docs/choosing.md. */
export const WEIGHTS: Weights = {
  field: {
    id: 1.2,
    name: 1,
    module: 1,
    server: 1,
    summary: 1,
    uses: 1,
    parameters: 0.3,
    examples: 0.5,
    keywords: 2,
  },
  length: {
    id: 0.3,
    name: 0.3,
    module: 0.3,
    server: 0.3,
    summary: 0.4,
    uses: 0.75,
    parameters: 0.75,
    examples: 0.75,
    keywords: 0.3,
  },
  saturation: 2,
  stop: { said: 0.1, uttered: 0.5 },
  maxRarity: { stop: 2, common: 2.5 },
  number: 0.3,
  alike: { worth: 0.5, from: 0.7 },
  background: 50,
  requestLength: 0.7,
  even: 0.65,
  penalty: 0.4,
};
