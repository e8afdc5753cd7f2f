import type { TaskNow } from '../../../../client/index.js';
import type { TaskResult } from '../../../../contracts/task.js';
import type { OutputReader } from './read-output.js';
import type { OutputStream } from './stream-output.js';

/** Shows people how a task goes, from the first look until {@link close}. */
export interface ProgressView {
  /** Takes in how the task stands. @param now what is known besides, while it is open. */
  update(result: TaskResult, now?: TaskNow): void;
  /** Ends the showing: nothing of it is left that could keep the command. */
  close(): void;
}

/** What a view shows of one task. */
export interface ShownTask {
  /** Workflow id. */
  key: string;
  reader: OutputReader;
  /** With `--verbose`, all that its calls write. */
  stream: OutputStream | undefined;
}
