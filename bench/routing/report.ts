import type { Contender } from './contenders.js';
import { type EvaluateOptions, evaluate, type Figures } from './evaluate.js';
import { meanOf } from './measures.js';
import type { RoutingSet } from './read-sets.js';

/** What the contenders do on a set; by their names, in their order. */
export interface SetReport {
  set: string;
  figures: Map<string, Figures>;
  /** Whether it counts in the mean; the whole pool is the same requests again. */
  counts: boolean;
}

/** Lets all contenders rank all sets, in one run. */
export async function reportOn(
  sets: readonly RoutingSet[],
  contenders: readonly Contender[],
  options: EvaluateOptions,
): Promise<SetReport[]> {
  const reports: SetReport[] = [];
  for (const set of sets) {
    const hasPicks = set.queries.some(({ candidates, gold }) => candidates && gold.length > 0);
    for (const wholePool of hasPicks ? [false, true] : [false]) {
      const figures = new Map<string, Figures>();
      for (const one of contenders) figures.set(one.name, await evaluate(set, one, { ...options, wholePool }));
      reports.push({ set: wholePool ? `${set.name}, whole pool` : set.name, counts: !wholePool, figures });
    }
  }
  return reports;
}

/** The mean over the sets that rank, each counting the same. */
export function macroOf(reports: readonly SetReport[], contender: string, measure: 'ndcg' | 'recall'): number {
  const values = reports.flatMap(({ counts, figures }) => {
    const value = figures.get(contender)?.[measure] ?? Number.NaN;
    return counts && !Number.isNaN(value) ? [value] : [];
  });
  return meanOf(values);
}

/** The tables that `docs/choosing.md` has. */
export function tablesOf(reports: readonly SetReport[], contenders: readonly string[]): string {
  const header = [
    'Set',
    'Requests',
    ...contenders.flatMap((name) => [`${name} NDCG@5`, 'recall@5', 'AUROC', 'p95 ms']),
  ];
  const rows = reports.map(({ set, figures }) => [
    set,
    String(
      Math.max(
        ...[...figures.values()].map(({ ranked, fitting, unfitting }) =>
          Math.max(ranked, fitting.length + unfitting.length),
        ),
      ),
    ),
    ...contenders.flatMap((name) => {
      const { ndcg, recall, auroc, p95 } = figures.get(name) ?? NOTHING;
      return [tell(ndcg), tell(recall), tell(auroc, 3), p95.toFixed(2)];
    }),
  ]);
  const macro = [
    '**mean of sets**',
    '',
    ...contenders.flatMap((name) => [
      tell(macroOf(reports, name, 'ndcg')),
      tell(macroOf(reports, name, 'recall')),
      '',
      '',
    ]),
  ];
  return [header, header.map(() => '---'), ...rows, macro].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/**
 * What the threshold does: of the requests that have a tool the share that is offered one, of the others the share where nothing is offered.
 */
export function thresholdOf(
  { fitting, unfitting }: Figures,
  threshold: number,
): { offered: number; abstained: number } {
  const share = (scores: readonly number[], passes: (score: number) => boolean): number =>
    scores.filter(passes).length / scores.length;
  return {
    offered: share(fitting, (score) => score >= threshold),
    abstained: share(unfitting, (score) => score < threshold),
  };
}

const NOTHING = { ndcg: Number.NaN, recall: Number.NaN, auroc: Number.NaN, p95: Number.NaN };

function tell(value: number, digits = 4): string {
  return Number.isNaN(value) ? '' : value.toFixed(digits);
}
