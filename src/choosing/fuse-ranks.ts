/** How little the first places count for more than the next ones. Source: Cormack, Clarke and Büttcher, SIGIR 2009. */
const K = 60;

/** A ranking of ids, best first, and how much it counts for. */
export interface Fusable {
  ids: readonly string[];
  weight: number;
}

/**
 * Reciprocal rank fusion: what stands high in several rankings comes first. Each place counts weight / (60 + place), counted from 1; ties
 * keep the order of the first ranking that has them.
 */
export function fuseRanks(rankings: readonly Fusable[]): string[] {
  const worth = new Map<string, number>();
  for (const { ids, weight } of rankings)
    for (const [at, id] of ids.entries()) worth.set(id, (worth.get(id) ?? 0) + weight / (K + at + 1));
  return [...worth].sort((one, other) => other[1] - one[1]).map(([id]) => id);
}
