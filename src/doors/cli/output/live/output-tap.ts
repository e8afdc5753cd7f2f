import type { TaskNow } from '../../../../client/index.js';
import type { TaskResult } from '../../../../contracts/task.js';
import type { Context } from '../../program/context.js';
import type { OutputReader } from './read-output.js';
import type { OutputStream } from './stream-output.js';

/** How long the record of a new task may be missing. Milliseconds. */
const MISSING_MS = 10_000;

/** With `--verbose`: prints new output of a task's calls, each line with its step. */
export class OutputTap {
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
export interface ProgressView {
  /** @param now further details while the task is open. */
  update(result: TaskResult, now?: TaskNow): void;
  /** Ends the display and everything that could keep the process alive. */
  close(): void;
}

export interface ShownTask {
  /** Workflow id. */
  key: string;
  reader: OutputReader;
  stream: OutputStream | undefined;
}
