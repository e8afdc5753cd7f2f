import type { StepSummary } from '../../../../contracts/task.js';
import type { LiveRow } from './live-rows.js';

type Status = StepSummary['status'];

/** Statuses whose rows are kept as long as they fit, in this order. */
const GRAVE: readonly Status[] = ['unknown', 'failed', 'denied', 'timed_out'];
const ORDER: readonly (readonly Status[])[] = [['waiting'], GRAVE, ['running'], ['cancelled']];
const MATTERS: ReadonlySet<Status> = new Set(ORDER.flat());

/** Keeps what waits, runs or failed, then nearby rows; counts the rest in place. @param room at least 1. */
export function fitRows(rows: readonly LiveRow[], room: number): string[] {
  const all = rows.flatMap(({ lines }) => lines);
  if (all.length <= room) return all;
  const short = rows.map((row) => ({ ...row, lines: row.lines.slice(0, 1) }));
  return fitAround(rows, room) ?? fitAround(short, room) ?? fitWorst(short, room);
}

/** Shows all rows that matter, and others as far as they fit; undefined if even the former do not fit. */
function fitAround(rows: readonly LiveRow[], room: number): string[] | undefined {
  const byNearness = nearest(rows);
  const show = (count: number): string[] => withCounts(rows, new Set(byNearness.slice(0, count)));
  const least = rows.filter(({ status }) => MATTERS.has(status)).length;
  if (show(least).length > room) return undefined;
  let [fits, tooMany] = [least, rows.length];
  while (tooMany - fits > 1) {
    const middle = Math.floor((fits + tooMany) / 2);
    if (show(middle).length <= room) fits = middle;
    else tooMany = middle;
  }
  return show(fits);
}

/** Row indices: all that matter, then the others by distance to the nearest of these. */
function nearest(rows: readonly LiveRow[]): number[] {
  const indices = rows.map((_, index) => index);
  const anchors = indices.filter((index) => MATTERS.has(rows[index]?.status ?? 'pending'));
  // If nothing runs, the last finished row counts.
  if (anchors.length === 0)
    anchors.push(
      Math.max(
        0,
        rows.findLastIndex(({ status }) => status !== 'pending'),
      ),
    );
  const distance = (index: number): number => Math.min(...anchors.map((anchor) => Math.abs(anchor - index)));
  const distances = indices.map(distance);
  return indices.sort((one, other) => (distances[one] ?? 0) - (distances[other] ?? 0) || one - other);
}

function withCounts(rows: readonly LiveRow[], shown: ReadonlySet<number>): string[] {
  const lines: string[] = [];
  let hidden: LiveRow[] = [];
  const close = (): void => {
    if (hidden.length > 0) lines.push(`  … ${countOf(hidden)}`);
    hidden = [];
  };
  for (const [index, row] of rows.entries()) {
    if (!shown.has(index)) {
      hidden.push(row);
      continue;
    }
    close();
    lines.push(...row.lines);
  }
  close();
  return lines;
}

/** If not all rows that matter fit: the gravest in plan order, and a count of the others. */
function fitWorst(rows: readonly LiveRow[], room: number): string[] {
  const indices = ORDER.flatMap((statuses) =>
    rows.flatMap(({ status }, index) => (statuses.includes(status) ? [index] : [])),
  );
  const shown = new Set(indices.slice(0, Math.max(0, room - 1)));
  const hidden = rows.filter((_, index) => !shown.has(index));
  return [...rows.flatMap(({ lines }, index) => (shown.has(index) ? lines : [])), `  … ${countOf(hidden)}`].slice(
    0,
    room,
  );
}

/** Such as `12 succeeded, 3 pending`. */
function countOf(rows: readonly LiveRow[]): string {
  const counts = new Map<Status, number>();
  for (const { status } of rows) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, count]) => `${count} ${status}`).join(', ');
}
