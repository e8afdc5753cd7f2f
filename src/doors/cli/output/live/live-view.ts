import type { TaskNow } from '../../../../client/index.js';
import type { TaskResult } from '../../../../contracts/task.js';
import { describeWait } from '../../../../rules/concurrency/describe-concurrency.js';
import { oneLine } from '../../../../rules/shown-text.js';
import type { Context } from '../../program/context.js';
import { renderSteps } from '../result/render-steps.js';
import type { Style } from '../terminal/terminal.js';
import { asTyped, commandOf } from '../typed-command.js';
import { Announcer } from './announcer.js';
import { wholeSeconds } from './describe-progress.js';
import { fitRows } from './fit-rows.js';
import { liveRows } from './live-rows.js';
import { OutputTap, type ProgressView, type ShownTask } from './output-tap.js';

const DRAW_MS = 250;

/** A block of lines that is redrawn when the task changes; permanent output appears above it. */
export class LiveView implements ProgressView {
  private readonly timer: NodeJS.Timeout;
  private readonly announcer: Announcer;
  private readonly tap: OutputTap;
  private now: TaskNow | undefined;

  /** @param clock milliseconds since 1970. */
  constructor(
    private readonly context: Context,
    private readonly task: ShownTask,
    private readonly clock: () => number = Date.now,
  ) {
    this.announcer = new Announcer(context, task.key);
    this.tap = new OutputTap(context, task);
    this.timer = setInterval(() => this.tick(), DRAW_MS).unref();
  }

  update(result: TaskResult, now?: TaskNow): void {
    const { terminal } = this.context;
    this.announcer.announce(result);
    const isFirst = this.now === undefined;
    this.now = now;
    if (now) {
      if (isFirst) this.draw();
      return;
    }
    this.tap.flush(true);
    terminal.redraw([]);
    const steps = renderSteps(result, terminal.style);
    if (steps.length > 0) terminal.note(steps.join('\n'));
  }

  close(): void {
    clearInterval(this.timer);
    this.tap.flush(true);
    this.context.terminal.redraw([]);
  }

  private tick(): void {
    this.tap.flush();
    this.draw();
  }

  private draw(): void {
    if (!this.now) return;
    const { terminal } = this.context;
    const { view } = this.now;
    const now = this.clock();
    const { style } = terminal;
    const columns = terminal.columns();
    const { reader, key } = this.task;
    const rows = liveRows(this.now, key, {
      now,
      columns: columns - 2,
      style,
      attempts: this.now.attempts,
      lastLine: (task, path) => reader.lastLine(task, path),
    });
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

function headOf(view: TaskNow['view'], now: number, style: Style): string {
  const { ability_id, task_key, status, started_at, created_at, steps } = view;
  const own = steps.filter(({ path }) => !path.includes('*'));
  const done = own.filter(({ status: one }) => one !== 'pending' && one !== 'running' && one !== 'waiting').length;
  const time = wholeSeconds(now - Date.parse(started_at ?? created_at));
  const count = own.length > 1 ? `  ${done}/${own.length} steps` : '';
  const word = status === 'waiting_approval' ? 'waiting for approval' : status;
  return `${style('bold', ability_id)}  ${style('cyan', word)} ${time}${count}${task_key === null ? '' : style('dim', `  ${task_key}`)}`;
}
