import type { TaskNow } from '../../../../client/index.js';
import type { TaskResult } from '../../../../contracts/task.js';
import type { Context } from '../../program/context.js';
import type { OutputReader } from './read-output.js';
import type { OutputStream } from './stream-output.js';

/** So long a record may be missing while its task is being made. Milliseconds. */
const MISSING_MS = 10_000;

/** With `--verbose`: prints the new output of a task's calls, each line after its step. */
export class OutputTap {
  private readonly began = performance.now();
  private hasSaid = false;

  constructor(
    private readonly context: Context,
    private readonly task: ShownTask,
  ) {}

  /** @param isEnd whether it is the last time. */
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

/** Shows people the progress of a task, from the first look until {@link close}. */
export interface ProgressView {
  /** Takes in the state of the task. @param now further details, while it is open. */
  update(result: TaskResult, now?: TaskNow): void;
  /** Ends the showing: nothing of it is left that could keep the command. */
  close(): void;
}

/** The parts of a view of one task. */
export interface ShownTask {
  /** Workflow id. */
  key: string;
  reader: OutputReader;
  /** With `--verbose`, all that its calls write. */
  stream: OutputStream | undefined;
}
