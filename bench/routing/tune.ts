import { WEIGHTS, type Weights } from '../../src/choosing/ranker.js';
import { ours } from './contenders.js';
import type { Figures } from './evaluate.js';
import type { RoutingSet } from './read-sets.js';
import { macroOf, reportOn, type SetReport, thresholdOf } from './report.js';

/** So many requests of a set are looked at; more tells little more. */
const MOST = 1500;
const FACTORS = [0.6, 0.8, 1.25, 1.6];

/**
 * Looks for better weights on the tuning half: one number after the other, as long as one of a few factors of it gains. Prints what it finds;
 * nothing is written.
 */
export async function tune(sets: readonly RoutingSet[], print: (line: string) => void): Promise<Weights> {
  let best: Weights = structuredClone(WEIGHTS);
  let worth = await worthOf(sets, best);
  print(`worth ${worth.toFixed(4)}`);
  for (let gained = true; gained; ) {
    gained = false;
    for (const path of pathsOf(best)) {
      for (const factor of FACTORS) {
        const tried = changed(best, path, factor);
        const found = await worthOf(sets, tried);
        if (found <= worth + 0.0003) continue;
        [best, worth, gained] = [tried, found, true];
        print(`worth ${worth.toFixed(4)}: ${path.join('.')} times ${factor}`);
      }
    }
  }
  const reports = await reportOn(sets, [ours({ ...best, even: 1 })], { half: 'tune', most: MOST });
  return { ...best, even: bestEven(abstainingIn(reports)).even };
}

/** Ranking and abstaining count alike; abstaining is how well requests are told apart, and how well one threshold does it for all sets. */
async function worthOf(sets: readonly RoutingSet[], weights: Weights): Promise<number> {
  const reports = await reportOn(sets, [ours({ ...weights, even: 1 })], { half: 'tune', most: MOST });
  const abstaining = abstainingIn(reports);
  const apart = mean(abstaining.map(({ auroc }) => auroc));
  const pools = reports.filter(({ counts }) => !counts).map(({ figures }) => figures.get('ours')?.ndcg ?? 0);
  const pool = pools.length > 0 ? mean(pools) / 4 : 0;
  return macroOf(reports, 'ours', 'ndcg') + pool + apart / 2 + bestEven(abstaining).worth / 2;
}

function abstainingIn(reports: readonly SetReport[]): Figures[] {
  return reports.flatMap(({ counts, figures }) => {
    const found = figures.get('ours');
    return counts && found && !Number.isNaN(found.auroc) ? [found] : [];
  });
}

/** Where the share of rightly offered and of rightly abstained is highest in the mean of the sets; of figures with `even` 1. */
function bestEven(abstaining: readonly Figures[]): { even: number; worth: number } {
  const tries = Array.from({ length: 60 }, (_, at) => 0.1 * 1.06 ** at);
  const rated = tries.map((even) => {
    // What scores one half when it is measured against `even` scores this against 1.
    const threshold = even / (even + 1);
    const shares = abstaining.map((figures) => {
      const { offered, abstained } = thresholdOf(figures, threshold);
      return (offered + abstained) / 2;
    });
    return { even: round(even), worth: mean(shares) };
  });
  rated.sort((one, other) => other.worth - one.worth);
  return rated[0] ?? { even: 1, worth: 0 };
}

type Path = (keyof Weights | string)[];

function pathsOf(weights: Weights): Path[] {
  const open = Object.entries(weights).flatMap(([key, value]): Path[] =>
    typeof value === 'number' ? [[key]] : Object.keys(value).map((inner) => [key, inner]),
  );
  // No open set has these, or what they decide is a matter of the threshold.
  const apart = new Set(['even', 'penalty', 'aside', 'server', 'keywords', 'examples']);
  return open.filter((path) => !path.some((part) => apart.has(part)));
}

function changed(weights: Weights, path: Path, factor: number): Weights {
  const copy = structuredClone(weights) as unknown as Record<string, number | Record<string, number>>;
  const [key = '', inner] = path;
  const value = copy[key];
  if (typeof value === 'number') copy[key] = round(value * factor);
  else if (value && inner !== undefined) value[inner] = round((value[inner] ?? 0) * factor);
  return copy as unknown as Weights;
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
