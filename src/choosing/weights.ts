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
