import type { TaskResult } from '../../../../contracts/task.js';
import type { OutputReader } from '../../../../operations/read-output.js';
import type { SharedOutput } from '../../../../operations/shared-output.js';
import type { SeenNow } from '../../../../operations/watch-task.js';
import type { Context } from '../../program/context.js';
import type { ProjectClient } from '../../program/project-operations.js';
import { Announcer } from './announcer.js';
import type { OutputStream } from './stream-output.js';

/** How long the record of a new task may be missing. Milliseconds. */
const MISSING_MS = 10_000;

/** With `--verbose`: prints new output of a task's calls, each line with its step. */
class OutputTap {
  private readonly began = performance.now();
  private hasSaid = false;

  constructor(
    private readonly context: Context,
    private readonly task: ShownTask,
  ) {}

  /** @param isEnd true for the last call. */
  flush(isEnd = false): void {
    const { stream } = this.task;
    if (!stream) return;
    const { terminal } = this.context;
    const lines = stream.newLines(isEnd);
    if (lines.length > 0) terminal.note(lines.join('\n'));
    else if (!this.hasSaid && !stream.isHere() && (isEnd || performance.now() - this.began > MISSING_MS)) {
      this.hasSaid = true;
      terminal.note(
        '--verbose: the record of this task is not on this machine, so the output of its calls is not shown.',
      );
    }
  }
}

/** Shows people the progress of a task until {@link close}. */
export abstract class ProgressView {
  protected readonly announcer: Announcer;
  protected readonly tap: OutputTap;
  /** Further details while the task is open. */
  protected now: SeenNow | undefined;

  /** @param clock milliseconds since 1970. */
  constructor(
    protected readonly context: Context,
    protected readonly task: ShownTask,
    protected readonly clock: () => number = Date.now,
  ) {
    this.announcer = new Announcer(context, task.key, task.project);
    this.tap = new OutputTap(context, task);
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
