/** What a ranking is worth. */

/** The share of the wanted tools among the first k. */
export function recallAt(k: number, ranked: readonly string[], gold: readonly string[]): number {
  const first = ranked.slice(0, k);
  return gold.filter((id) => first.includes(id)).length / gold.length;
}

/** Normalised discounted cumulative gain of the first k, with gains of 0 and 1. */
export function ndcgAt(k: number, ranked: readonly string[], gold: readonly string[]): number {
  const gain = (at: number): number => 1 / Math.log2(at + 2);
  const sum = (gains: number[]): number => gains.reduce((total, one) => total + one, 0);
  const got = ranked.slice(0, k).map((id, at) => (gold.includes(id) ? gain(at) : 0));
  return sum(got) / sum(gold.slice(0, k).map((_, at) => gain(at)));
}

/** How likely a request that has a tool scores above one that has none; ties count half. NaN where one kind is missing. */
export function auroc(fitting: readonly number[], unfitting: readonly number[]): number {
  const all = [
    ...fitting.map((score) => ({ score, fits: true })),
    ...unfitting.map((score) => ({ score, fits: false })),
  ].sort((one, other) => one.score - other.score);
  let ranks = 0;
  for (let from = 0; from < all.length; ) {
    let to = from + 1;
    while (to < all.length && all[to]?.score === all[from]?.score) to += 1;
    const rank = (from + to + 1) / 2;
    ranks += rank * all.slice(from, to).filter(({ fits }) => fits).length;
    from = to;
  }
  return (ranks - (fitting.length * (fitting.length + 1)) / 2) / (fitting.length * unfitting.length);
}

export function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

/** The value that a share of all does not exceed. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
