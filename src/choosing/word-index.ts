import { isTypoOf } from './decide/typos.js';
import type { AbilityText, Field } from './ranker.js';
import type { Weights } from './weights.js';
import { wordsIn } from './words.js';

/** How much of a stem the abilities (by index) have. */
export type Postings = ReadonlyMap<number, number>;

/** Inverted index of stems. Immutable after construction. */
export class WordIndex {
  /** The upper bound of {@link rarity}. */
  readonly highest: number;
  /** How much text each ability has, in rare words. */
  readonly bulk: Float64Array;
  private readonly postings = new Map<string, Map<number, number>>();
  /** First letter to stems; used for request words that no ability has. */
  private readonly initials: Record<string, string[]> = {};

  constructor(
    private readonly abilities: readonly AbilityText[],
    private readonly weights: Weights,
  ) {
    for (const field of Object.keys(weights.field) as Field[]) this.addAll(field);
    this.highest = this.rarity('');
    this.bulk = new Float64Array(abilities.length);
    for (const [stem, places] of this.postings) {
      const rarity = this.rarity(stem) / this.highest;
      for (const [place, amount] of places) this.bulk[place] = (this.bulk[place] ?? 0) + rarity * amount;
      if (stem.length >= BEGINNING) (this.initials[stem[0] ?? ''] ??= []).push(stem);
    }
  }

  find(stem: string): Postings | undefined {
    return this.postings.get(stem);
  }

  /** The weight of a stem: the rarer, the higher. */
  rarity(stem: string): number {
    const having = this.postings.get(stem)?.size ?? 0;
    return Math.log(1 + (this.abilities.length + this.weights.background - having + 0.5) / (having + 0.5));
  }

  /** Stems that begin like an unknown stem, or of which it is a typo, and their likeness (0 to 1). */
  alike(stem: string): { stem: string; likeness: number }[] {
    const beginning = Math.min(BEGINNING, stem.length);
    return (this.initials[stem[0] ?? ''] ?? [])
      .map((other) => {
        const isLike = beginning >= MIN_BEGINNING && other.startsWith(stem.slice(0, beginning));
        const likeness = isLike ? likenessOf(stem, other) : isTypoOf(stem, other) ? TYPO : 0;
        return { stem: other, likeness };
      })
      .filter(({ likeness }) => likeness >= this.weights.alike.from);
  }

  private addAll(field: Field): void {
    const { field: weight, length, stop } = this.weights;
    const said = this.abilities.map(({ texts }) => (texts[field] ?? []).flatMap(wordsIn));
    const usual = meanOf(said.map((words) => words.length).filter(Boolean));
    for (const [place, words] of said.entries()) {
      const share = weight[field] / (1 - length + (length * words.length) / usual);
      for (const { stem, kind } of words) {
        const places = this.postings.get(stem) ?? new Map<number, number>();
        this.postings.set(stem, places.set(place, (places.get(place) ?? 0) + share * (kind === 'stop' ? stop : 1)));
      }
    }
  }
}

const BEGINNING = 5;
/** An abbreviation, such as `cert`. */
const MIN_BEGINNING = 4;
/** The likeness of a word and its typo. */
const TYPO = 0.9;

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

/** The share of the common beginning in both stems. */
function likenessOf(one: string, other: string): number {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same += 1;
  return (2 * same) / (one.length + other.length);
}
