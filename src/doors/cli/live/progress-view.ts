import type { Connection, TaskNow } from '../../../client/index.js';
import type { TaskResult } from '../../../contracts/task.js';
import type { Context } from '../context.js';
import { LineView } from './line-view.js';
import { LiveView } from './live-view.js';
import { OutputReader } from './read-output.js';
import { SharedOutput } from './shared-output.js';
import { OutputStream } from './stream-output.js';

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

/** On a terminal a block of lines that is redrawn, elsewhere lines; with `verbose` the output of the calls besides. */
export function openView(
  context: Context,
  { paths, store, project }: Pick<Connection, 'paths' | 'store' | 'project'>,
  key: string,
  verbose = false,
): ProgressView {
  const elsewhere = store.isShared ? new SharedOutput(store, project) : undefined;
  const stream = verbose ? new OutputStream(paths.records, key, elsewhere) : undefined;
  const shown: ShownTask = { key, reader: new OutputReader(paths.records, elsewhere), stream };
  return context.terminal.isLive ? new LiveView(context, shown) : new LineView(context, shown);
}
