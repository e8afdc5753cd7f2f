import { devNull } from 'node:os';
import type { StepSummary, TaskResult } from '../../../../contracts/task.js';
import { OutputReader } from '../../../../operations/read-output.js';
import type { SharedOutput } from '../../../../operations/shared-output.js';
import type { SeenNow } from '../../../../operations/watch-task.js';
import { describeWait } from '../../../../rules/concurrency/describe-concurrency.js';
import { oneLine } from '../../../../rules/shown-text.js';
import { asTyped, commandOf } from '../../../../shown/typed-command.js';
import { type Context, openRegistry } from '../../program/context.js';
import type { ProjectClient } from '../../program/project-operations.js';
import { renderSteps } from '../result/render-result.js';
import type { Style } from '../terminal/terminal.js';
import { wholeSeconds } from './describe-progress.js';
import { type LiveRow, liveRows } from './live-rows.js';
import { LineView, ProgressView, type ShownTask } from './progress-view.js';
import { OutputStream } from './stream-output.js';

const DRAW_MS = 250;

/** A block of lines that is redrawn when the task changes; permanent output appears above it. */
export class LiveView extends ProgressView {
  private readonly timer = setInterval(() => this.tick(), DRAW_MS).unref();

  update(result: TaskResult, now?: SeenNow): void {
    const { terminal } = this.context;
    this.announcer.announce(result);
    const isFirst = this.now === undefined;
    this.now = now;
    if (now) {
      if (isFirst) this.draw();
      return;
    }
    this.flush(true);
    terminal.redraw([]);
    const steps = renderSteps(result, terminal.style);
    if (steps.length > 0) terminal.note(steps.join('\n'));
  }

  close(): void {
    clearInterval(this.timer);
    this.flush(true);
    this.context.terminal.redraw([]);
  }

  private tick(): void {
    this.flush();
    this.draw();
  }

  private draw(): void {
    if (!this.now) return;
    const { terminal } = this.context;
    const { view, attempts } = this.now;
    const now = this.clock();
    const { style } = terminal;
    const columns = terminal.columns() - 2;
    const lastLine = (task: string, path: string) => this.task.reader.lastLine(task, path);
    const rows = liveRows(this.now, this.task.key, { now, columns, style, attempts, lastLine });
    const head = [headOf(view, now, style), ...this.waits()];
    const fitted = fitRows(rows, Math.max(1, terminal.room() - head.length));
    terminal.redraw([...head, ...fitted.map((line) => `  ${line}`)]);
  }

  private waits(): string[] {
    const { terminal } = this.context;
    const { status, concurrency, paused } = this.now?.view ?? {};
    const waiting = terminal.style('yellow', 'waiting');
    const resume = asTyped(commandOf('ability', 'task', 'resume', this.task.key), this.context);
    return [
      ...(status === 'waiting' && concurrency ? [`  ${waiting} for ${oneLine(describeWait(concurrency))}`] : []),
      ...(paused ? [`  ${terminal.style('yellow', 'paused')}: it starts nothing new until ${resume}`] : []),
    ];
  }
}

function headOf(view: SeenNow['view'], now: number, style: Style): string {
  const { ability_id, task_key, status, started_at, created_at, steps } = view;
  const own = steps.filter(({ path }) => !path.includes('*'));
  const done = own.filter(({ status: one }) => one !== 'pending' && one !== 'running' && one !== 'waiting').length;
  const time = wholeSeconds(now - Date.parse(started_at ?? created_at));
  const count = own.length > 1 ? `  ${done}/${own.length} steps` : '';
  const word = status === 'waiting_approval' ? 'waiting for approval' : status;
  return `${style('bold', ability_id)}  ${style('cyan', word)} ${time}${count}${task_key === null ? '' : style('dim', `  ${task_key}`)}`;
}

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
  const last = rows.findLastIndex(({ status }) => status !== 'pending');
  if (anchors.length === 0) anchors.push(Math.max(0, last));
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
  const lines = rows.flatMap((row, index) => (shown.has(index) ? row.lines : []));
  return [...lines, `  … ${countOf(hidden)}`].slice(0, room);
}

/** Such as `12 succeeded, 3 pending`. */
function countOf(rows: readonly LiveRow[]): string {
  const counts = new Map<Status, number>();
  for (const { status } of rows) counts.set(status, (counts.get(status) ?? 0) + 1);
  return [...counts].map(([status, count]) => `${count} ${status}`).join(', ');
}

/** On a terminal a redrawn block, elsewhere lines; `verbose` adds the output of calls. */
export async function openView(
  context: Context,
  project: Pick<ProjectClient, 'paths' | 'call' | 'isOwnRuntime'>,
  key: string,
  verbose = false,
): Promise<ProgressView> {
  const elsewhere = await outputElsewhere(context, project);
  // Through a door no record is on this machine.
  const records = project.paths?.records ?? devNull;
  const stream = verbose ? new OutputStream(records, key, elsewhere) : undefined;
  const shown: ShownTask = { key, project, reader: new OutputReader(records, elsewhere), stream, elsewhere };
  return context.terminal.isLive ? new LiveView(context, shown) : new LineView(context, shown);
}

async function outputElsewhere(
  context: Context,
  { paths, call }: Pick<ProjectClient, 'paths' | 'call'>,
): Promise<SharedOutput | undefined> {
  if (paths && !context.env.ABILITY_STORE) return undefined;
  const { SharedOutput, storedLogs } = await import('../../../../operations/shared-output.js');
  if (!paths) {
    const { byAttempt } = await import('../../../../operations/read-call-logs.js');
    const shown = async (key: string) =>
      (await call('readLogs', { key })).map((line) => ({ ...line, text: oneLine(line.text) }));
    return new SharedOutput((key) => async () => byAttempt(await shown(key)));
  }
  const { sharedStore } = await import('../../../../client/index.js');
  const store = sharedStore(context.env, paths);
  return store && new SharedOutput(storedLogs(store, (await openRegistry(context)).project.project));
}
