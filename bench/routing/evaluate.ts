import { createHash } from 'node:crypto';
import { FITS } from '../../src/choosing/ranker.js';
import type { Contender, Scored } from './contenders.js';
import { auroc, meanOf, ndcgAt, quantile, recallAt } from './measures.js';
import type { Query, RoutingSet } from './read-sets.js';

/** What a contender does on a set; NaN for what the set does not measure. */
export interface Figures {
  /** Requests with a tool. */
  ranked: number;
  ndcg: number;
  recall: number;
  /** Of the requests whose best score is worth offering, the share whose first tool is right; for scores from 0 to 1. */
  right: number;
  /** Requests with and without a tool. */
  fitting: number[];
  unfitting: number[];
  auroc: number;
  /** Milliseconds. */
  index: number;
  p95: number;
}

/** Which half of a set a request belongs to: weights are tuned on one and reported on the other. */
export type Half = 'tune' | 'report';

export function halfOf({ id }: Pick<Query, 'id'>): Half {
  return (createHash('sha256').update(id).digest()[0] ?? 0) % 2 === 0 ? 'tune' : 'report';
}

/** Options of {@link evaluate}. */
export interface EvaluateOptions {
  /** Absent: all requests. */
  half?: Half;
  /** Ranks among all tools where a request names candidates, too. */
  wholePool?: boolean;
  /** About so many requests at most, from all over the set. */
  most?: number;
}

/** Lets a contender rank the requests of one half of a set. */
export async function evaluate(
  set: RoutingSet,
  contender: Contender,
  { half, wholePool = false, most = Number.POSITIVE_INFINITY }: EvaluateOptions,
): Promise<Figures> {
  const began = performance.now();
  const rank = contender.build(set.tools);
  const index = performance.now() - began;
  const [ndcgs, recalls, times]: number[][] = [[], [], []];
  const rights: number[] = [];
  const fitting: number[] = [];
  const unfitting: number[] = [];
  const timed = async (text: string, among?: readonly string[]): Promise<Scored> => {
    const start = performance.now();
    const ranked = await rank(text, among && !wholePool ? new Set(among) : undefined);
    times?.push(performance.now() - start);
    return ranked;
  };
  const all = set.queries.filter((query) => half === undefined || halfOf(query) === half);
  const every = Math.max(1, Math.ceil(all.length / most));
  const chosen = all.filter((_, at) => at % every === 0);
  for (const { text, gold, decision, candidates, removed_gold } of chosen) {
    const ranked = await timed(text, candidates);
    if (gold.length > 0) {
      const ids = ranked.map(({ id }) => id);
      ndcgs?.push(ndcgAt(5, ids, gold));
      recalls?.push(recallAt(5, ids, gold));
    }
    const best = highest(ranked);
    if (best >= FITS && removed_gold === undefined) rights.push(gold.includes(ranked[0]?.id ?? '') ? 1 : 0);
    if (removed_gold !== undefined) {
      // The same request twice: among those of which none fits, and with the one that does.
      unfitting.push(best);
      fitting.push(highest(await timed(text, [...(candidates ?? []), removed_gold])));
    } else if (decision !== undefined) (gold.length > 0 ? fitting : unfitting).push(best);
  }
  return {
    ranked: ndcgs?.length ?? 0,
    ndcg: meanOf(ndcgs ?? []),
    recall: meanOf(recalls ?? []),
    right: meanOf(rights),
    fitting,
    unfitting,
    auroc: fitting.length > 0 && unfitting.length > 0 ? auroc(fitting, unfitting) : Number.NaN,
    index,
    p95: quantile(times ?? [], 0.95),
  };
}

function highest(ranked: Scored): number {
  return Math.max(0, ...ranked.map(({ score }) => score));
}
