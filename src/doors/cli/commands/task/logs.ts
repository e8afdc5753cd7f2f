import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  type Connection,
  fetchSharedRecord,
  hasEnded,
  keepingRuntime,
  type LogLine,
  sharedStore,
  viewTask,
} from '../../../../client/index.js';
import { type AbilityError, usageError } from '../../../../contracts/problem.js';
import { RECORD_FILES } from '../../../../contracts/record.js';
import type { Registry } from '../../../../definitions/registry.js';
import { pathsOf } from '../../../../server/project-paths.js';
import type { Store } from '../../../../server/store/store.js';
import { didYouMean } from '../../../../text/nearest.js';
import { recordFolder } from '../../../answers/record-folder.js';
import { freshLines } from '../../output/fresh-lines.js';
import { plainText } from '../../output/plain-text.js';
import { type Context, openRegistry, withSession } from '../../program/context.js';
import type { TaskFlags } from '../../program/tasks.js';
import { describePlaceInChain } from './describe-chain.js';
import { type CallLog, CallLogs, inOrder } from './read-call-logs.js';
import { whyMissing } from './record.js';

const LOOK_MS = 300;

/**
 * `ability task logs KEY [STEP] [-f]`: what the calls of a task wrote. Source: docs/operations.md#looking-into-a-task.
 */
export async function run(
  context: Context,
  [key, step]: [string, string | undefined],
  { follow }: TaskFlags['logs'],
): Promise<void> {
  const registry = await openRegistry(context);
  const paths = pathsOf(registry.root);
  const folder = recordFolder(paths.records, key);
  if (existsSync(join(folder, RECORD_FILES.deleted))) throw await whyMissing(context, registry, key, folder);
  const open = (store: Store | undefined): CallLogs => {
    const place = { project: registry.project.project, task: key };
    return new CallLogs(join(folder, RECORD_FILES.logs), paths, place, store, (text) => context.terminal.note(text));
  };
  const chain = describePlaceInChain(key, folder, context);
  if (chain !== undefined && !context.flags.json) context.terminal.note(chain);
  if (!follow) {
    const store = sharedStore(context.env, paths);
    const logs = open(store);
    const found = await logs.read(step, true);
    if (found.length === 0 && !existsSync(folder) && !(await isShared(store, registry, key)))
      throw await whyMissing(context, registry, key, folder);
    if (step !== undefined && found.length === 0) throw nothingWritten(await logs.read(undefined, true), step);
    const lines = inOrder(found);
    if (context.flags.json) context.terminal.printJson(lines);
    else if (lines.length === 0) context.terminal.note('Nothing was written.');
    else context.terminal.print(lines.map(renderLine).join('\n'));
    return;
  }
  if (context.flags.json) {
    throw usageError('--json prints one value at the end, and --follow prints lines as they come');
  }
  return withSession(context, registry, async (connection) => {
    const store = connection.store.isShared ? connection.store : undefined;
    if (!existsSync(folder) && !(await isShared(store, registry, key)))
      throw await whyMissing(context, registry, key, folder);
    return followLogs(context, connection, key, open(store), step);
  });
}

async function isShared(store: Store | undefined, { project }: Registry, task: string): Promise<boolean> {
  return store !== undefined && (await fetchSharedRecord(store, { project: project.project, task })) !== undefined;
}

async function followLogs(
  { terminal }: Context,
  connection: Connection,
  key: string,
  logs: CallLogs,
  step: string | undefined,
): Promise<void> {
  const shown = new Map<string, number>();
  for (;;) {
    const ended = hasEnded(await keepingRuntime(connection, () => viewTask(connection, key, 'temporal')));
    const lines = newLines(await logs.read(step, ended), shown);
    if (lines.length > 0) terminal.print(lines.map(renderLine).join('\n'));
    if (ended) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** Lines of each call not returned before, in order of time; updates `shown`. */
export function newLines(logs: CallLog[], shown: Map<string, number>): LogLine[] {
  return inOrder([{ lines: freshLines(logs, shown) }]);
}

const MAX_NAMES = 20;

function listOf(names: readonly string[]): string {
  const left = names.length - MAX_NAMES;
  return [...names.slice(0, MAX_NAMES), ...(left > 0 ? [`${left} more`] : [])].join(', ');
}

function nothingWritten(all: readonly CallLog[], step: string): AbilityError {
  const names = [...new Set(all.map((log) => log.step))];
  return usageError(
    `No call of the step ${step} has written anything`,
    didYouMean(step, names) ?? (names.length > 0 ? `There are logs of: ${listOf(names)}.` : undefined),
  );
}

function renderLine({ time, step, attempt, stream, text }: LogLine): string {
  return `${time.slice(11, 23)} ${step}${attempt > 1 ? `#${attempt}` : ''} ${stream}: ${plainText(text)}`;
}
