/** What preflight costs: beside the task that it comes before, and with many callers who wait for both. */
import type { Contender } from './contenders.js';
import { type Burst, IN_FLIGHT, inFlight, type Measured, type Setting } from './measure.js';
import { cpuOf, memoryOf } from './processes.js';
import type { Gate } from './report.js';
import { median, type Spread, shuffled, spreadOf } from './statistics.js';
import type { ScenarioName } from './twin/contract.js';

/** A preflight takes at most this share of the noop that follows it. */
const MOST_OF_A_NOOP = 0.5;
/** With their preflights, at least this share of the twin's tasks are done a second. */
const LEAST_RATE = 0.8;
const PRODUCT = 'no hooks';

/** Runs many tasks of each contender with what comes before each, 50 at once, one contender after the other. */
export async function measureWithPreflight(
  contenders: readonly Contender[],
  tasks: number,
  { scenario, round, random }: Setting,
): Promise<Burst[]> {
  const bursts: Burst[] = [];
  for (const contender of shuffled(contenders, random)) {
    const before = cpuOf(contender.pid);
    const began = performance.now();
    await inFlight(IN_FLIGHT, tasks, async () => (await contender.prepare(scenario)).run());
    const seconds = (performance.now() - began) / 1000;
    const cpuMs = (cpuOf(contender.pid) - before) / tasks;
    const memory = memoryOf(contender.pid);
    bursts.push({ contender: contender.name, scenario, round, rate: tasks / seconds, cpuMs, memory });
  }
  return bursts;
}

/** What preflight comes to. */
export interface PreflightCost {
  /** Its median time through that of the noops of the same round; none where no noop was measured. */
  ofNoop: Spread | undefined;
  /** Tasks a second and worker CPU a task with preflight, through the twin's of the same round. */
  bursts: { scenario: ScenarioName; contender: string; rate: Spread; cpu: Spread }[];
}

/** Puts preflight beside the noops of the same run, and the tasks with preflight beside the twin's. */
export function preflightCostOf(measured: readonly Measured[], bursts: readonly Burst[]): PreflightCost {
  const noops = measured.filter(({ scenario, contender }) => scenario === 'noop' && contender === PRODUCT);
  const shares = noops.map(({ preflightMs, taskMs }) => median(preflightMs) / median(taskMs));
  const twins = bursts.filter(({ contender }) => contender === 'twin');
  const names = [...new Set(bursts.map(({ contender }) => contender))].filter((name) => name !== 'twin');
  const scenarios = [...new Set(twins.map(({ scenario }) => scenario))];
  const ratios = (scenario: ScenarioName, contender: string, value: 'rate' | 'cpuMs'): Spread =>
    spreadOf(
      twins
        .filter((twin) => twin.scenario === scenario)
        .map((twin) => {
          const own = bursts.find(
            (one) => one.contender === contender && one.scenario === scenario && one.round === twin.round,
          );
          return (own?.[value] ?? Number.NaN) / twin[value];
        }),
    );
  return {
    ofNoop: shares.length > 0 ? spreadOf(shares) : undefined,
    bursts: scenarios.flatMap((scenario) =>
      names.map((contender) => ({
        scenario,
        contender,
        rate: ratios(scenario, contender, 'rate'),
        cpu: ratios(scenario, contender, 'cpuMs'),
      })),
    ),
  };
}

/** Judges them; a throughput is good to 20 % only. Source: answers, 37. */
export function preflightGatesOf({ ofNoop, bursts }: PreflightCost): Gate[] {
  const gate = (what: string, measured: number, limit: number): Gate => {
    return { what, measured, limit, kept: measured <= limit, hard: false };
  };
  return [
    ...(ofNoop ? [gate('noop, no hooks: preflight through a noop', ofNoop.median, MOST_OF_A_NOOP)] : []),
    ...bursts
      .filter(({ contender }) => contender === PRODUCT)
      .map(({ scenario, rate }) => {
        const what = `${scenario}, ${PRODUCT}: time for 50 at once with preflight, through the twin`;
        return gate(what, 1 / rate.median, 1 / LEAST_RATE);
      }),
  ];
}

/** One line a figure. */
export function preflightLinesOf({ ofNoop, bursts }: PreflightCost): string {
  return [
    ...(ofNoop ? [`A preflight takes ${ranged(ofNoop)} of a noop of the same round.`] : []),
    ...bursts.map(
      ({ scenario, contender, rate, cpu }) =>
        `With preflight, 50 at once, ${scenario}, ${contender}: ${ranged(rate)} x the twin's tasks/s, ${ranged(cpu)} x its worker CPU.`,
    ),
  ].join('\n');
}

function ranged({ median, least, most }: Spread): string {
  return `${median.toFixed(2)} (${least.toFixed(2)}-${most.toFixed(2)})`;
}
