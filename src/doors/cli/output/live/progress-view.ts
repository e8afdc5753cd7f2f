import type { Connection } from '../../../../client/index.js';
import type { Context } from '../../program/context.js';
import { LineView } from './line-view.js';
import { LiveView } from './live-view.js';
import type { ProgressView, ShownTask } from './output-tap.js';
import { OutputReader } from './read-output.js';
import { SharedOutput } from './shared-output.js';
import { OutputStream } from './stream-output.js';

/** On a terminal a redrawn block, elsewhere lines; `verbose` adds the output of calls. */
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
