import type { Field } from './ranker.js';

/** All numbers of the ranker that are measured and not reasoned out. */
export interface Weights {
  /** How much a word counts for in each part of an ability. */
  field: Record<Field, number>;
  /** How much a long part is held against its words: 0 not at all, 1 in proportion. */
  length: Record<Field, number>;
  /** How soon more of the same word stops to matter. */
  saturation: number;
  /** What a stop word is worth in what abilities say, and in the utterances they are meant for. */
  stop: { said: number; uttered: number };
  /** The highest weight of a word, however few abilities have it. */
  most: { stop: number; common: number };
  number: number;
  /** What a word that merely begins alike is worth, and how alike (0 to 1) it has to be. */
  alike: { worth: number; from: number };
  /** Added to the number of abilities, so that a word has weight in a project of five, too. */
  background: number;
  /** How much the logarithm of a request's length is held against what fits. */
  requestLength: number;
  /** The strength at which it is as likely to fit as not. */
  even: number;
  /** The share of the strength kept when the request has a word that the ability is not for. */
  penalty: number;
}

/** Tuned on one half of the open sets by `npm run eval:routing -- --tune`, and reported on the other: docs/choosing.md. */
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
  most: { stop: 2, common: 2.5 },
  number: 0.3,
  alike: { worth: 0.5, from: 0.7 },
  background: 50,
  requestLength: 0.7,
  even: 0.65,
  penalty: 0.4,
};
