import { isStepEnd } from '../../../../contracts/states.js';
import type { StepSummary, TaskResult } from '../../../../contracts/task.js';
import type { OutputReader } from '../../../../operations/read-output.js';
import type { SharedOutput } from '../../../../operations/shared-output.js';
import type { SeenNow } from '../../../../operations/watch-task.js';
import { describeWait } from '../../../../rules/concurrency/describe-concurrency.js';
import { oneLine } from '../../../../rules/shown-text.js';
import { isOfExpansion } from '../../../../rules/steps/step-tree.js';
import type { Context } from '../../program/context.js';
import type { ProjectClient } from '../../program/project-operations.js';
import { renderChange, renderItemFailure } from '../result/render-result.js';
import { Announcer } from './announcer.js';
import { describeStepWait, inOne, renderHeartbeat } from './describe-progress.js';
import type { OutputStream } from './stream-output.js';

/** How long the record of a new task may be missing. Milliseconds. */
const MISSING_MS = 10_000;

/** Shows people the progress of a task until {@link close}. */
export abstract class ProgressView {
  protected readonly announcer: Announcer;
  private readonly began = performance.now();
  private isMissingSaid = false;
  /** Further details while the task is open. */
  protected now: SeenNow | undefined;

  /** @param clock milliseconds since 1970. */
  constructor(
    protected readonly context: Context,
    protected readonly task: ShownTask,
    protected readonly clock: () => number = Date.now,
  ) {
    this.announcer = new Announcer(context, task.key, task.project);
  }

  /** With `--verbose`: prints new output of the task's calls, each line with its step. @param isEnd true for the last call. */
  protected flush(isEnd = false): void {
    const { stream } = this.task;
    if (!stream) return;
    const { terminal } = this.context;
    const lines = stream.newLines(isEnd);
    if (lines.length > 0) terminal.note(lines.join('\n'));
    else if (!this.isMissingSaid && !stream.isHere() && (isEnd || performance.now() - this.began > MISSING_MS)) {
      this.isMissingSaid = true;
      terminal.note(
        '--verbose: the record of this task is not on this machine, so the output of its calls is not shown.',
      );
    }
  }

  /** With `--verbose`: reads what calls elsewhere wrote last, before the end is shown. */
  async readLast(): Promise<void> {
    if (this.task.stream) await this.task.elsewhere?.readLast(this.task.key);
  }

  /** @param now further details while the task is open. */
  abstract update(result: TaskResult, now?: SeenNow): void;
  /** Ends the display and everything that could keep the process alive. */
  abstract close(): void;
}

export interface ShownTask {
  /** Workflow id. */
  key: string;
  project: Pick<ProjectClient, 'isOwnRuntime'>;
  reader: OutputReader;
  stream: OutputStream | undefined;
  /** Where output is that is not on this machine. */
  elsewhere?: Pick<SharedOutput, 'readLast'> | undefined;
}

const HEARTBEAT_MS = 60_000;
const OUTPUT_MS = 500;
/** The maximum number of skipped steps with a line each. */
const MAX_SKIPPED = 3;

/** Logs a task's progress: one line per ended step, and every minute what is running and how long. */
export class LineView extends ProgressView {
  private readonly timers = [
    setInterval(() => this.beat(), HEARTBEAT_MS).unref(),
    ...(this.task.stream ? [setInterval(() => this.flush(), OUTPUT_MS).unref()] : []),
  ];

  update(result: TaskResult, now?: SeenNow): void {
    this.now = now;
    this.flush(now === undefined);
    const { terminal } = this.context;
    const turn = result.status === 'waiting' ? result.concurrency : undefined;
    if (turn) this.sayOnce(`${terminal.style('yellow', 'waiting')} for ${oneLine(describeWait(turn))}`);
    this.noteEnds(result, now === undefined);
    this.announcer.announce(result);
    for (const wait of now?.view.waits ?? []) {
      const { path, for: kind, until = '', attempt = '' } = wait;
      // The heartbeat reports other waits, as between the turns of a loop. One of seconds is not worth a line.
      const isSaid = kind === 'attempt' ? Date.parse(until) - this.clock() > 5000 : kind !== 'turn';
      if (isSaid && this.announcer.markNew(`wait ${path} ${attempt}`)) {
        terminal.note(`  ${path} ${inOne(describeStepWait(wait, this.clock()))}`);
      }
    }
  }

  /** Logs newly ended steps first: they precede what the task waits for now. */
  private noteEnds({ steps }: TaskResult, isOver: boolean): void {
    const { terminal } = this.context;
    for (const step of steps) {
      const fresh = (step.failures ?? []).filter(({ path }) => this.announcer.markNew(`item ${path}`));
      for (const failure of fresh) terminal.note(renderItemFailure(step, failure));
    }
    const ended = steps.filter((step) => this.hasNewlyEnded(step));
    // Steps never reached before the end are only counted.
    const unreached = isOver ? ended.filter(({ status }) => status === 'skipped') : [];
    const isMany = unreached.length > MAX_SKIPPED;
    for (const step of ended) if (!isMany || step.status !== 'skipped') terminal.note(renderChange(step));
    if (isMany) terminal.note(`  ${unreached.length} steps skipped`);
  }

  /** For loops, logs only their progress; a retried group may end more than once. */
  private hasNewlyEnded({ id, path, status, attempts, turns }: StepSummary): boolean {
    if (isOfExpansion(id)) return false;
    return turns === undefined && isStepEnd(status) && this.announcer.markNew(`end ${path} ${status} ${attempts}`);
  }

  close(): void {
    for (const timer of this.timers) clearInterval(timer);
    this.flush(true);
  }

  private beat(): void {
    if (this.now) this.context.terminal.note(renderHeartbeat(this.now, this.clock()));
  }

  private sayOnce(line: string): void {
    if (this.announcer.markNew(line)) this.context.terminal.note(line);
  }
}
