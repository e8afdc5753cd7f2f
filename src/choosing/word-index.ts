import { type AbilityText, FIELDS, type Field } from './ranker.js';
import type { Weights } from './weights.js';
import { type Word, wordsIn } from './words.js';

/** The abilities (by index, ascending) that have a stem, and how much of it. */
export interface Postings {
  at: number[];
  amount: number[];
}

/** Inverted index of stems. Immutable after construction. */
export class WordIndex {
  readonly size: number;
  private readonly postings = new Map<string, Postings>();
  /** Beginning to stems; used for request words that no ability has. */
  private readonly beginnings = new Map<string, string[]>();

  constructor(
    abilities: readonly AbilityText[],
    private readonly weights: Weights,
  ) {
    this.size = abilities.length;
    const parts = abilities.map(partsOf);
    const usual = usualLengths(parts);
    for (const [place, fields] of parts.entries()) this.add(place, fields, usual);
    for (const stem of this.postings.keys()) {
      const beginning = beginningOf(stem);
      if (beginning === undefined) continue;
      const others = this.beginnings.get(beginning);
      if (others) others.push(stem);
      else this.beginnings.set(beginning, [stem]);
    }
  }

  find(stem: string): Postings | undefined {
    return this.postings.get(stem);
  }

  /** The weight of a stem: the rarer, the higher. */
  rarity(stem: string): number {
    const having = this.postings.get(stem)?.at.length ?? 0;
    return Math.log(1 + (this.size + this.weights.background - having + 0.5) / (having + 0.5));
  }

  /** The upper bound of {@link rarity}. */
  get highest(): number {
    return Math.log(1 + (this.size + this.weights.background + 0.5) / 0.5);
  }

  /** Stems with the same beginning as an unknown stem, and their likeness (0 to 1). */
  alike(stem: string): { stem: string; likeness: number }[] {
    const candidates = this.beginnings.get(beginningOf(stem) ?? '') ?? [];
    return candidates
      .map((other) => ({ stem: other, likeness: likenessOf(stem, other) }))
      .filter(({ likeness }) => likeness >= this.weights.alike.from);
  }

  private add(place: number, fields: Parts, usual: Record<Field, number>): void {
    const amounts = new Map<string, number>();
    for (const field of FIELDS) {
      const words = fields[field];
      if (words.length === 0) continue;
      const held = this.weights.length[field];
      const share = this.weights.field[field] / (1 - held + (held * words.length) / usual[field]);
      for (const word of words)
        amounts.set(word.stem, (amounts.get(word.stem) ?? 0) + share * this.worthOf(word, field));
    }
    for (const [stem, amount] of amounts) {
      let postings = this.postings.get(stem);
      if (!postings) this.postings.set(stem, (postings = { at: [], amount: [] }));
      postings.at.push(place);
      postings.amount.push(amount);
    }
  }

  private worthOf({ kind }: Word, field: Field): number {
    if (kind !== 'stop') return 1;
    return field === 'uses' || field === 'keywords' ? this.weights.stop.uttered : this.weights.stop.said;
  }
}

type Parts = Record<Field, Word[]>;

function partsOf({ texts }: AbilityText): Parts {
  const entries = FIELDS.map((field) => [field, (texts[field] ?? []).flatMap(wordsIn)]);
  return Object.fromEntries(entries) as Parts;
}

function usualLengths(all: readonly Parts[]): Record<Field, number> {
  const entries = FIELDS.map((field) => {
    const lengths = all.map((parts) => parts[field].length).filter((length) => length > 0);
    return [field, lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length)];
  });
  return Object.fromEntries(entries) as Record<Field, number>;
}

const BEGINNING = 5;

function beginningOf(stem: string): string | undefined {
  return stem.length < BEGINNING ? undefined : stem.slice(0, BEGINNING);
}

/** The share of the common beginning in both stems. */
function likenessOf(one: string, other: string): number {
  let same = 0;
  while (same < one.length && one[same] === other[same]) same += 1;
  return (2 * same) / (one.length + other.length);
}
