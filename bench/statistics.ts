/** The few numbers that stand for many. */

/** The value below which a share of the others lies. NaN of nothing. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (sorted.length - 1) * share;
  const low = sorted[Math.floor(at)] ?? Number.NaN;
  const high = sorted[Math.ceil(at)] ?? Number.NaN;
  return low + (high - low) * (at - Math.floor(at));
}

/** The middle one. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** A median with the least and the most. */
export interface Spread {
  median: number;
  least: number;
  most: number;
}

/** What a list of rounds comes to. */
export function spreadOf(values: readonly number[]): Spread {
  const known = values.filter((value) => !Number.isNaN(value));
  return { median: median(known), least: Math.min(...known), most: Math.max(...known) };
}

/** Random numbers in [0, 1) that come again with their seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The same things in random order. */
export function shuffled<T>(things: readonly T[], random: () => number): T[] {
  return things
    .map((thing) => ({ thing, key: random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ thing }) => thing);
}
