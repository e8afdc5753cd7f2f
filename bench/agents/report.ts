/** What was measured, as ratios to the official integration. */
import { median, type Spread, spreadOf } from '../statistics.js';
import type { Seen } from './behaviour.js';
import { CONTENDERS, type Contender, type Measured } from './measure.js';

/** A line for each contender and count of turns, as Markdown. */
export function tableOf(measured: readonly Measured[]): string {
  const counts = [...new Set(measured.map(({ turns }) => turns))];
  const lines = counts.flatMap((turns) => CONTENDERS.map((contender) => lineOf(measured, turns, contender)));
  const head =
    '| Turns | | Events | Bytes | Bytes a turn | In the store | p50 a turn | / official | p50 a task | / official |';
  return [
    `${head} Last ten turns / first | CPU a turn | / official |`,
    '|---|---|---|---|---|---|---|---|---|---|---|---|---|',
    ...lines,
  ].join('\n');
}

function lineOf(measured: readonly Measured[], turns: number, contender: Contender): string {
  const own = measured.filter((one) => one.turns === turns && one.contender === contender);
  const officialOf = ({ round }: Measured): Measured =>
    measured.find((one) => one.turns === turns && one.contender === 'official' && one.round === round) as Measured;
  const turnOf = (one: Measured): number => median(one.turnMs);
  const paired = (value: (one: Measured) => number): string =>
    ranged(spreadOf(own.map((one) => value(one) / value(officialOf(one)))));
  const middle = (value: (one: Measured) => number): number => median(own.map(value));
  const bytes = middle((one) => one.bytes);
  return `| ${[
    turns,
    contender,
    middle(({ events }) => events),
    bytes,
    Math.round(bytes / turns),
    contender === 'product' ? middle(({ storeBytes }) => storeBytes) : '',
    `${middle(turnOf).toFixed(1)} ms`,
    paired(turnOf),
    `${middle(({ taskMs }) => taskMs).toFixed(0)} ms`,
    paired(({ taskMs }) => taskMs),
    middle(({ drift }) => drift).toFixed(2),
    `${(middle(({ cpuMs }) => cpuMs) / turns).toFixed(1)} ms`,
    paired(({ cpuMs }) => cpuMs),
  ].join(' | ')} |`;
}

/** What each did, a line each. */
export function seenOf(seen: readonly Seen[]): string {
  return seen.map((one) => `${one.what}\n  ${one.side}: ${one.seen}`).join('\n');
}

function ranged({ median: middle, least, most }: Spread): string {
  return `${middle.toFixed(2)} (${least.toFixed(2)}-${most.toFixed(2)})`;
}
