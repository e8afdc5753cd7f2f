/** What was measured, as ratios to the twin, and whether it is within what we promise. Source: design, section 6. */
import type { Burst, Measured } from './measure.js';
import { CONTRACT, SCENARIOS } from './scenarios.js';
import { median, quantile, type Spread, spreadOf } from './statistics.js';
import type { ScenarioName } from './twin/contract.js';

/** One scenario of one contender, beside the twin. */
export interface Row {
  scenario: ScenarioName;
  contender: string;
  /** Of the median task. */
  events: number;
  twinEvents: number;
  /** Of the task with the fewest. */
  leastEvents: number;
  twinLeastEvents: number;
  bytes: number;
  twinBytes: number;
  planBytes: number;
  /** Milliseconds from start to close. */
  p50: Spread;
  p95: Spread;
  /** Each turn's time through that of the twin's in the same turn; spread over the rounds. */
  ratio: Spread;
  /** The same, as the client sees it. */
  clientRatio: Spread;
  /** Worker CPU a task, in milliseconds, and through the twin's. */
  cpuMs: Spread;
  cpuRatio: Spread;
  memory: number;
  /** Tasks a second with 50 in flight, and through the twin's. */
  rate: Spread | undefined;
  rateRatio: Spread | undefined;
  burstCpuRatio: Spread | undefined;
  preflightMs: Spread;
  preflightCpuMs: number;
}

/** Puts each contender beside the twin. */
export function rowsOf(measured: readonly Measured[], bursts: readonly Burst[]): Row[] {
  const names = [...new Set(measured.map(({ contender }) => contender))];
  return SCENARIOS.flatMap((scenario) =>
    names.flatMap((contender) => {
      const own = measured.filter((one) => one.scenario === scenario && one.contender === contender);
      return own.length === 0 ? [] : [rowOf(scenario, contender, own, measured, bursts)];
    }),
  );
}

function rowOf(
  scenario: ScenarioName,
  contender: string,
  own: readonly Measured[],
  measured: readonly Measured[],
  bursts: readonly Burst[],
): Row {
  const twinOf = ({ round }: Measured): Measured =>
    measured.find((one) => one.contender === 'twin' && one.scenario === scenario && one.round === round) as Measured;
  const twins = own.map(twinOf);
  const paired = (list: 'taskMs' | 'clientMs'): Spread => {
    const turns = own.map((one) => one[list].map((ms, nth) => ms / (twinOf(one)[list][nth] ?? Number.NaN)));
    return { ...spreadOf(turns.map(median)), median: median(turns.flat()) };
  };
  const own50 = bursts.filter((one) => one.scenario === scenario && one.contender === contender);
  const burstRatio = (value: 'rate' | 'cpuMs'): Spread =>
    spreadOf(
      own50.map((one) => {
        const twin = bursts.find(
          (other) => other.contender === 'twin' && other.scenario === scenario && other.round === one.round,
        );
        return one[value] / (twin?.[value] ?? Number.NaN);
      }),
    );
  return {
    scenario,
    contender,
    events: median(own.flatMap(({ events }) => events)),
    twinEvents: median(twins.flatMap(({ events }) => events)),
    leastEvents: Math.min(...own.flatMap(({ events }) => events)),
    twinLeastEvents: Math.min(...twins.flatMap(({ events }) => events)),
    bytes: median(own.flatMap(({ bytes }) => bytes)),
    twinBytes: median(twins.flatMap(({ bytes }) => bytes)),
    planBytes: own[0]?.planBytes ?? 0,
    p50: spreadOf(own.map(({ taskMs }) => median(taskMs))),
    p95: spreadOf(own.map(({ taskMs }) => quantile(taskMs, 0.95))),
    ratio: paired('taskMs'),
    clientRatio: paired('clientMs'),
    cpuMs: spreadOf(own.map(({ cpuMs }) => cpuMs)),
    cpuRatio: spreadOf(own.map((one) => one.cpuMs / twinOf(one).cpuMs)),
    memory: Math.max(...own.map(({ memory }) => memory)),
    rate: own50.length > 0 ? spreadOf(own50.map(({ rate }) => rate)) : undefined,
    rateRatio: own50.length > 0 ? burstRatio('rate') : undefined,
    burstCpuRatio: own50.length > 0 ? burstRatio('cpuMs') : undefined,
    preflightMs: spreadOf(own.map(({ preflightMs }) => median(preflightMs))),
    preflightCpuMs: median(own.map(({ preflightCpuMs }) => preflightCpuMs)),
  };
}

/** One promise, kept or not. */
export interface Gate {
  what: string;
  limit: number;
  measured: number;
  kept: boolean;
  /** Whether `--gate` fails by it: figures that are good to a few percent only are told, not gated. */
  hard: boolean;
}

/** A hook activity: three events of its own, three of the workflow task that sees its answer. */
const EVENTS_OF_AN_ACTIVITY = 6;

/** In these a millisecond is several percent. */
const SHORT_SCENARIOS: ReadonlySet<ScenarioName> = new Set(['noop', 'fanout']);

/**
 * Events beside the twin's. In a fan-out answers that arrive together share a workflow task of three events, on both
 * sides as it happens, so that the least are compared there; in all others the median tasks.
 */
function eventsOf(row: Row): { own: number; twin: number } {
  return row.scenario === 'fanout'
    ? { own: row.leastEvents, twin: row.twinLeastEvents }
    : { own: row.events, twin: row.twinEvents };
}

/** Judges the rows. Source: answers, 37. */
export function gatesOf(rows: readonly Row[]): Gate[] {
  return rows.flatMap((row) => {
    const { scenario, contender } = row;
    const gate = (what: string, measured: number, limit: number, hard: boolean): Gate => {
      return { what: `${scenario}, ${contender}: ${what}`, limit, measured, kept: measured <= limit, hard };
    };
    const events = eventsOf(row);
    if (contender === 'twin' || contender === 'control') return [];
    if (contender === 'fast') return [gate('p50 through the twin', row.ratio.median, 0.6, true)];
    if (contender === '1 script') {
      return [gate('events', events.own, events.twin + EVENTS_OF_AN_ACTIVITY, true)];
    }
    const hasContract = contender === CONTRACT;
    return [
      gate('events', events.own, events.twin + (hasContract ? 1 : 0), true),
      gate('bytes', row.bytes, Math.round(row.twinBytes * 1.15 + row.planBytes), true),
      gate('p50 through the twin', row.ratio.median, SHORT_SCENARIOS.has(scenario) ? 1.12 : 1.1, !hasContract),
      gate('worker CPU through the twin', row.cpuRatio.median, 1.25, false),
      ...throughputGate(row, rows, gate),
    ];
  });
}

/** Throughput counts as kept within what the second copy of the twin differs by. */
function throughputGate(
  { rateRatio, scenario }: Row,
  rows: readonly Row[],
  gate: (what: string, measured: number, limit: number, hard: boolean) => Gate,
): Gate[] {
  const control = rows.find((row) => row.scenario === scenario && row.contender === 'control')?.rateRatio;
  if (!rateRatio || !control) return [];
  return [gate('time for 50 at once, through the twin', 1 / rateRatio.median, 1 / Math.min(1, control.least), false)];
}

const HEAD = [
  'Scenario',
  'Contender',
  'Events',
  'Bytes',
  'limit',
  'p50 ms',
  'p95 ms',
  'p50 / twin',
  'seen / twin',
  'CPU ms',
  'CPU / twin',
  'MiB',
  'tasks/s',
  'tasks/s / twin',
];

/** The rows as a Markdown table: medians, with the least and the most of the rounds. */
export function tableOf(rows: readonly Row[]): string {
  const lines = rows.map((row) => [
    row.scenario,
    row.contender,
    String(row.events),
    String(Math.round(row.bytes)),
    row.planBytes ? String(Math.round(row.twinBytes * 1.15 + row.planBytes)) : '',
    ranged(row.p50, 0),
    row.p95.median.toFixed(0),
    ranged(row.ratio, 2),
    ranged(row.clientRatio, 2),
    ranged(row.cpuMs, 1),
    ranged(row.cpuRatio, 2),
    row.memory.toFixed(0),
    row.rate ? ranged(row.rate, 0) : '',
    row.rateRatio ? ranged(row.rateRatio, 2) : '',
  ]);
  return table(HEAD, lines);
}

/** Preflight, on lines of its own: it comes before the task. */
export function preflightTableOf(rows: readonly Row[]): string {
  const own = rows.filter(({ planBytes }) => planBytes > 0);
  const lines = own.map(({ scenario, contender, preflightMs, preflightCpuMs, planBytes }) => {
    return [scenario, contender, ranged(preflightMs, 0), preflightCpuMs.toFixed(1), String(planBytes)];
  });
  return table(['Preflight of', 'Contender', 'p50 ms', 'CPU ms', 'Plan bytes'], lines);
}

/** The gates that were missed, or that none was. */
export function verdictOf(gates: readonly Gate[]): string {
  const missed = gates.filter(({ kept }) => !kept);
  const lines = missed.map(({ what, measured, limit, hard }) => {
    return `missed${hard ? '' : ' (reported only)'}: ${what} ${short(measured)}, limit ${short(limit)}`;
  });
  return [...lines, `${gates.length - missed.length} of ${gates.length} figures are within their limits.`].join('\n');
}

function short(value: number): string {
  return Number.isInteger(value) ? String(value) : value.toFixed(2);
}

function ranged({ median, least, most }: Spread, digits: number): string {
  return `${median.toFixed(digits)} (${least.toFixed(digits)}-${most.toFixed(digits)})`;
}

function table(head: string[], rows: string[][]): string {
  const widths = head.map((cell, at) => Math.max(cell.length, ...rows.map((row) => row[at]?.length ?? 0)));
  const line = (cells: string[]): string => `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(' | ')} |`;
  return [line(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...rows.map(line)].join('\n');
}
