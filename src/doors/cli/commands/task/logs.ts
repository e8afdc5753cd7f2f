import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  fetchSharedRecord,
  hasEnded,
  keepingRuntime,
  type LogLine,
  sharedStore,
  viewTask,
} from '../../../../client/index.js';
import { type AbilityError, usageError } from '../../../../contracts/problem.js';
import { RECORD_FILES } from '../../../../contracts/record.js';
import { isEndState } from '../../../../contracts/states.js';
import type { Registry } from '../../../../definitions/registry.js';
import { byAttempt, type CallLog, CallLogs, inOrder } from '../../../../operations/read-call-logs.js';
import { recordFolder } from '../../../../operations/record-folder.js';
import { earlierKeys, nextKey } from '../../../../rules/tasks/retry-keys.js';
import { isTaskKey } from '../../../../rules/tasks/task-ids.js';
import { pathsOf } from '../../../../server/project-paths.js';
import type { Store } from '../../../../server/store/store.js';
import { asTyped, commandOf } from '../../../../shown/typed-command.js';
import { defined } from '../../../../text/defined.js';
import { didYouMean } from '../../../../text/nearest.js';
import { freshLines } from '../../output/fresh-lines.js';
import { plainText } from '../../output/plain-text.js';
import { type Context, openRegistry, printList, withSession } from '../../program/context.js';
import { withProject } from '../../program/project-client.js';
import type { TaskFlags } from '../../program/tasks.js';
import { whyMissing } from './record.js';

const LOOK_MS = 300;

/**
 * `ability task logs KEY [STEP] [-f]`: what the calls of a task wrote. Source: docs/operations.md#looking-into-a-task.
 */
export async function run(
  context: Context,
  [key, step]: [string, string | undefined],
  { follow: follows = false }: TaskFlags['logs'],
): Promise<void> {
  if (context.door) return logsThere(context, key, step, follows);
  const registry = await openRegistry(context);
  const paths = pathsOf(registry.root);
  const folder = recordFolder(paths.records, key);
  if (existsSync(join(folder, RECORD_FILES.deleted))) throw await whyMissing(context, registry, key, folder);
  const open = (store: Store | undefined): CallLogs => {
    const place = { project: registry.project.project, task: key };
    return new CallLogs(join(folder, RECORD_FILES.logs), paths, place, store, context.terminal.note);
  };
  const chain = describePlaceInChain(key, folder, context);
  if (chain !== undefined && !context.flags.json) context.terminal.note(chain);
  if (!follows) {
    const store = sharedStore(context.env, paths);
    const logs = open(store);
    const found = await logs.read(step, true);
    if (found.length === 0 && !existsSync(folder) && !(await isShared(store, registry, key)))
      throw await whyMissing(context, registry, key, folder);
    if (step !== undefined && found.length === 0) throw nothingWritten(await logs.read(undefined, true), step);
    const lines = inOrder(found);
    return printList(context, lines, 'Nothing was written.', () => lines.map(renderLine).join('\n'));
  }
  refuseJson(context);
  return withSession(context, registry, async (connection) => {
    const store = connection.store.isShared ? connection.store : undefined;
    if (!existsSync(folder) && !(await isShared(store, registry, key)))
      throw await whyMissing(context, registry, key, folder);
    const logs = open(store);
    return follow(context, LOOK_MS, async () => {
      const isOver = hasEnded(await keepingRuntime(connection, () => viewTask(connection, key, 'temporal')));
      return { isOver, logs: await logs.read(step, isOver) };
    });
  });
}

function refuseJson({ flags }: Context): void {
  if (flags.json) throw usageError('--json prints one value at the end, and --follow prints lines as they come');
}

const LOOK_THERE_MS = 1000;

/** The same through a door, which says what its machine or store has. */
function logsThere(context: Context, key: string, step: string | undefined, follows: boolean): Promise<void> {
  return withProject(context, async (project) => {
    if (follows) refuseJson(context);
    const read = (of: string | undefined) => project.call('readLogs', { key, ...defined({ step: of }) });
    if (!follows) {
      const lines = await read(step);
      if (step !== undefined && lines.length === 0) throw nothingWritten(await read(undefined), step);
      return printList(context, lines, 'Nothing was written.', () => lines.map(renderLine).join('\n'));
    }
    return follow(context, LOOK_THERE_MS, async () => {
      const { status } = await project.call('readResult', { key });
      return { isOver: isEndState(status), logs: byAttempt(await read(step)) };
    });
  });
}

/** Prints what is new at each look, until the task is over. */
async function follow(
  { terminal }: Context,
  everyMs: number,
  look: () => Promise<{ isOver: boolean; logs: CallLog[] }>,
): Promise<void> {
  const shown = new Map<string, number>();
  for (;;) {
    const { isOver, logs } = await look();
    const lines = newLines(logs, shown);
    if (lines.length > 0) terminal.print(lines.map(renderLine).join('\n'));
    if (isOver) return;
    await new Promise((resolve) => setTimeout(resolve, everyMs));
  }
}

async function isShared(store: Store | undefined, { project }: Registry, task: string): Promise<boolean> {
  return store !== undefined && (await fetchSharedRecord(store, { project: project.project, task })) !== undefined;
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

function nothingWritten(all: readonly Pick<CallLog, 'step'>[], step: string): AbilityError {
  const names = [...new Set(all.map((log) => log.step))];
  return usageError(
    `No call of the step ${step} has written anything`,
    didYouMean(step, names) ?? (names.length > 0 ? `There are logs of: ${listOf(names)}.` : undefined),
  );
}

function renderLine({ time, step, attempt, stream, text }: LogLine): string {
  return `${time.slice(11, 23)} ${step}${attempt > 1 ? `#${attempt}` : ''} ${stream}: ${plainText(text)}`;
}

/**
 * Which of several retries of a task a log is of, since each counts its attempts from 1; undefined if no other one
 * is recorded here. @param folder of the record of the task.
 */
function describePlaceInChain(key: string, folder: string, context: Context): string | undefined {
  const isHere = (task: string): boolean => existsSync(join(dirname(folder), task));
  const earlier = earlierKeys(key).filter(isHere);
  const next = nextKey(key);
  const others = [...earlier, ...(isHere(next) ? [next] : [])];
  if (!isTaskKey(key) || others.length === 0) return undefined;
  const commands = others.map((task) => asTyped(commandOf('ability', 'task', 'logs', task), context)).join(', ');
  return `This is ${key}, task ${earlier.length + 1} of a chain of retries; attempts are counted in each task. Others: ${commands}`;
}
