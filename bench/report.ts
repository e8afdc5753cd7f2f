/** What was measured, as ratios to the twin, and whether it is within what we promise. Source: docs/performance.md. */
import type { Burst, Measured } from './measure.js';
import { BARE, baselineOf, CONTRACT, SCENARIOS, type Scenario, TWIN } from './scenarios.js';
import { median, quantile, type Spread, spreadOf } from './statistics.js';

/** One scenario of one contender, beside its baseline: the twin, or for approvals a bare signal. */
export interface Row {
  scenario: Scenario;
  contender: string;
  /** Of the median task. */
  events: number;
  baseEvents: number;
  /** Of the task with the fewest. */
  leastEvents: number;
  baseLeastEvents: number;
  bytes: number;
  baseBytes: number;
  planBytes: number;
  /** Milliseconds from the request to the result. */
  p50: Spread;
  p95: Spread;
  /** Each turn's time through that of the baseline in the same turn; spread over the rounds. */
  ratio: Spread;
  /** The same from start to close, as the server reports them. */
  serverRatio: Spread;
  /** CPU of all processes a task, in milliseconds, and through the baseline's; and that of the worker. */
  cpuMs: Spread;
  cpuRatio: Spread;
  workerRatio: Spread;
  memory: number;
  /** Tasks a second with 50 in flight, and through the baseline's; the CPU of all processes as well. */
  rate: Spread | undefined;
  rateRatio: Spread | undefined;
  burstCpuRatio: Spread | undefined;
}

/** Puts each contender beside its baseline. */
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
  scenario: Scenario,
  contender: string,
  own: readonly Measured[],
  measured: readonly Measured[],
  bursts: readonly Burst[],
): Row {
  const baseline = baselineOf(scenario);
  const baseOf = ({ round }: Measured): Measured =>
    measured.find((one) => one.contender === baseline && one.scenario === scenario && one.round === round) as Measured;
  const bases = own.map(baseOf);
  const paired = (list: 'taskMs' | 'clientMs'): Spread => {
    const turns = own.map((one) => one[list].map((ms, nth) => ms / (baseOf(one)[list][nth] ?? Number.NaN)));
    return { ...spreadOf(turns.map(median)), median: median(turns.flat()) };
  };
  const own50 = bursts.filter((one) => one.scenario === scenario && one.contender === contender);
  const burstRatio = (value: 'rate' | 'cpuMs'): Spread | undefined => {
    if (own50.length === 0) return undefined;
    return spreadOf(
      own50.map((one) => {
        const base = bursts.find(
          (other) => other.contender === TWIN && other.scenario === scenario && other.round === one.round,
        );
        return one[value] / (base?.[value] ?? Number.NaN);
      }),
    );
  };
  return {
    scenario,
    contender,
    events: median(own.flatMap(({ events }) => events)),
    baseEvents: median(bases.flatMap(({ events }) => events)),
    leastEvents: Math.min(...own.flatMap(({ events }) => events)),
    baseLeastEvents: Math.min(...bases.flatMap(({ events }) => events)),
    bytes: median(own.flatMap(({ bytes }) => bytes)),
    baseBytes: median(bases.flatMap(({ bytes }) => bytes)),
    planBytes: own[0]?.planBytes ?? 0,
    p50: spreadOf(own.map(({ clientMs }) => median(clientMs))),
    p95: spreadOf(own.map(({ clientMs }) => quantile(clientMs, 0.95))),
    ratio: paired('clientMs'),
    serverRatio: paired('taskMs'),
    cpuMs: spreadOf(own.map(({ cpuMs }) => cpuMs)),
    cpuRatio: spreadOf(own.map((one) => one.cpuMs / baseOf(one).cpuMs)),
    workerRatio: spreadOf(own.map((one) => one.workerMs / baseOf(one).workerMs)),
    memory: Math.max(...own.map(({ memory }) => memory)),
    rate: own50.length > 0 ? spreadOf(own50.map(({ rate }) => rate)) : undefined,
    rateRatio: burstRatio('rate'),
    burstCpuRatio: burstRatio('cpuMs'),
  };
}

/** One promise, kept or not. */
export interface Gate {
  what: string;
  limit: number;
  measured: number;
  kept: boolean;
  /** Whether `--gate` fails by it: figures that are good to a few percent only are reported, not gated. */
  hard: boolean;
}

/** The preflight of a task: its answer is one marker. */
const EVENTS_OF_A_PREFLIGHT = 1;
/** Beside a bare signal: the attribute while people are waited for, its end, and the time limit. */
const EVENTS_OF_AN_APPROVAL = 3;
/** A hook activity: three events of its own, three of the workflow task that sees its answer. */
const EVENTS_OF_AN_ACTIVITY = 6;
/** How many bytes beside the baseline's, apart from the plan and from further events. */
const MOST_BYTES = 1.15;
const BYTES_OF_AN_EVENT = 150;

/** What a task may cost beside its baseline: its median time, the CPU of all processes, and tasks a second at least. */
const PROMISED: Readonly<Record<Scenario, { p50: number; cpu?: number; rate?: number }>> = {
  noop: { p50: 1.25, cpu: 1.35, rate: 0.75 },
  chain: { p50: 1.08, cpu: 1.15, rate: 0.9 },
  fanout: { p50: 1.1 },
  loop: { p50: 1.1 },
  approval: { p50: 1.15 },
};
const PLAIN = 'no hooks';
const FAST_P50 = 0.6;

/** Judges the rows. */
export function gatesOf(rows: readonly Row[]): Gate[] {
  return rows.flatMap((row) => {
    const { scenario, contender } = row;
    const gate = (what: string, measured: number, limit: number, hard: boolean): Gate => {
      return { what: `${scenario}, ${contender}: ${what}`, limit, measured, kept: measured <= limit, hard };
    };
    if ([TWIN, BARE, 'control'].includes(contender)) return [];
    if (contender === 'fast') return [gate('p50 through the twin', row.ratio.median, FAST_P50, true)];
    const events = gate('events', ...eventsOf(row), true);
    if (contender === '1 script') return [events];
    const { p50, cpu, rate } = PROMISED[scenario];
    const isPlain = contender === PLAIN;
    const { rateRatio } = row;
    return [
      events,
      gate('bytes', row.bytes, mostBytes(row), true),
      gate('p50', row.ratio.median, p50, isPlain),
      ...(cpu ? [gate('CPU of all processes', row.cpuRatio.median, cpu, false)] : []),
      ...(rate && rateRatio ? [gate('time for 50 at once', 1 / rateRatio.median, 1 / rate, false)] : []),
    ];
  });
}

/** Events that a task may have beside those of its baseline. */
function moreEvents({ scenario, contender }: Row): number {
  return (
    EVENTS_OF_A_PREFLIGHT +
    (scenario === 'approval' ? EVENTS_OF_AN_APPROVAL : 0) +
    (contender === '1 script' ? EVENTS_OF_AN_ACTIVITY : 0) +
    (contender === CONTRACT ? 1 : 0)
  );
}

/**
 * The events and their limit. In a fan-out answers that arrive together share a workflow task of three events, on both
 * sides as it happens, so that the least are compared there; in all others the median tasks.
 */
function eventsOf(row: Row): [number, number] {
  const [own, base] = row.scenario === 'fanout' ? [row.leastEvents, row.baseLeastEvents] : [row.events, row.baseEvents];
  return [own, base + moreEvents(row)];
}

function mostBytes(row: Row): number {
  return Math.round(row.baseBytes * MOST_BYTES + row.planBytes + moreEvents(row) * BYTES_OF_AN_EVENT);
}

const HEAD = [
  'Scenario',
  'Contender',
  'Events',
  'Bytes',
  'limit',
  'p50 ms',
  'p95 ms',
  'p50 ratio',
  'start to close',
  'CPU ms',
  'CPU ratio',
  'of the worker',
  'MiB',
  'tasks/s',
  'tasks/s ratio',
  'CPU at 50',
];

/** The rows as a Markdown table: medians, with the least and the most of the rounds. */
export function tableOf(rows: readonly Row[]): string {
  const lines = rows.map((row) => [
    row.scenario,
    row.contender,
    String(row.events),
    String(Math.round(row.bytes)),
    row.planBytes ? String(mostBytes(row)) : '',
    ranged(row.p50, 0),
    row.p95.median.toFixed(0),
    ranged(row.ratio, 2),
    ranged(row.serverRatio, 2),
    ranged(row.cpuMs, 1),
    ranged(row.cpuRatio, 2),
    ranged(row.workerRatio, 2),
    row.memory.toFixed(0),
    row.rate ? ranged(row.rate, 0) : '',
    row.rateRatio ? ranged(row.rateRatio, 2) : '',
    row.burstCpuRatio ? ranged(row.burstCpuRatio, 2) : '',
  ]);
  return table(HEAD, lines);
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
