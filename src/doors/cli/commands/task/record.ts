import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import {
  fetchSharedRecord,
  hasEnded,
  keepingRuntime,
  type LogLine,
  type SharedRecord,
  sharedStore,
  takeFiles,
  viewTask,
} from '../../../../client/index.js';
import type { TaskFile } from '../../../../contracts/files.js';
import { AbilityError, usageError } from '../../../../contracts/problem.js';
import { RECORD_FILES, type TaskRecord } from '../../../../contracts/record.js';
import { isEndState } from '../../../../contracts/states.js';
import type { Registry } from '../../../../definitions/registry.js';
import { readJson } from '../../../../disk/read-json.js';
import { byAttempt, type CallLog, CallLogs, inOrder } from '../../../../operations/read-call-logs.js';
import { freshLines } from '../../../../operations/read-output.js';
import { mendRecord, whyMissing as whyNotHere } from '../../../../operations/read-record.js';
import { recordFolder } from '../../../../operations/record-folder.js';
import { earlierKeys, isTaskKey, nextKey } from '../../../../rules/tasks/task-ids.js';
import { pathsOf } from '../../../../server/project-paths.js';
import type { Store } from '../../../../server/store/store.js';
import { asTyped, commandOf } from '../../../../shown/typed-command.js';
import { formatBytes } from '../../../../text/byte-size.js';
import { defined } from '../../../../text/defined.js';
import { didYouMean } from '../../../../text/nearest.js';
import { plainText } from '../../output/plain-text.js';
import { renderTable } from '../../output/render-table.js';
import { type Context, openRegistry, printAnswer, printList, withSession } from '../../program/context.js';
import { withProject } from '../../program/project-client.js';
import type { TaskFlags } from '../../program/tasks.js';

const ONLY_PLANNED = 'this record has only what was planned';

/** `ability task record KEY`: prints `tool_call.md` or `record.json`; a complete local one needs no server. */
export async function record(context: Context, [key]: [string]): Promise<void> {
  if (context.door) {
    const there = await withProject(context, (project) => project.call('readRecord', { key }));
    return printAnswer(context, there.record, () => there.text);
  }
  const registry = await openRegistry(context);
  const folder = recordFolder(pathsOf(registry.root).records, key);
  const file = join(folder, context.flags.json ? RECORD_FILES.json : RECORD_FILES.text);
  if (isComplete(folder)) return print(context, readFileSync(file, 'utf8'));
  const shared = await findShared(context, registry, key, folder);
  if (shared?.record.result) return printAnswer(context, shared.record, () => shared.text);
  await complete(context, registry, key, folder);
  if (existsSync(file)) return print(context, readFileSync(file, 'utf8'));
  if (shared) return printAnswer(context, shared.record, () => shared.text);
  throw await whyMissing(context, registry, key, folder);
}

function print(context: Context, text: string): void {
  printAnswer(context, context.flags.json && JSON.parse(text), () => text);
}

/** The record that a worker elsewhere shared. If the store cannot be read, a local record is still shown. */
async function findShared(
  { env, terminal }: Context,
  { root, project }: Registry,
  task: string,
  folder: string,
): Promise<SharedRecord | undefined> {
  if (existsSync(join(folder, RECORD_FILES.deleted))) return undefined;
  const store = sharedStore(env, pathsOf(root));
  try {
    return store && (await fetchSharedRecord(store, { project: project.project, task }));
  } catch (error) {
    if (!(error instanceof AbilityError) || !existsSync(join(folder, RECORD_FILES.json))) throw error;
    terminal.note(`${error.code}: ${error.message}`);
    return undefined;
  }
}

/** True once the record has a result. */
function isComplete(folder: string): boolean {
  return (readJson<TaskRecord>(join(folder, RECORD_FILES.json))?.result ?? null) !== null;
}

/** Writes the record of an ended task if its worker could not; an open task already has one. */
async function complete(context: Context, registry: Registry, key: string, folder: string): Promise<void> {
  try {
    const mended = await withSession(context, registry, async (connection) =>
      mendRecord(connection, key, await viewTask(connection, key, 'temporal')),
    );
    if (mended) context.terminal.note(isComplete(folder) ? mended : `${mended}; ${ONLY_PLANNED}`);
  } catch (error) {
    if (!(error instanceof AbilityError) || !existsSync(join(folder, RECORD_FILES.json))) throw error;
    context.terminal.note(`${error.code}: ${error.message}; ${ONLY_PLANNED}`);
  }
}

/** Why there is no record here. @throws AbilityError `task.not_found`. */
function whyMissing(context: Context, registry: Registry, key: string, folder: string): Promise<AbilityError> {
  return withSession(context, registry, (connection) => whyNotHere(connection, key, folder));
}

const LOOK_MS = 300;

/**
 * `ability task logs KEY [STEP] [-f]`: what the calls of a task wrote. Source: docs/operations.md#looking-into-a-task.
 */
export async function logs(
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

/** `ability task files KEY [--out DIR]`: the files that a task received and made, or copies of them. */
export async function files(context: Context, [key]: [string], { out }: TaskFlags['files']): Promise<void> {
  return withFiles(context, key, async (files, store) => {
    if (out !== undefined) {
      const taken = await takeFiles({ store }, files, resolve(context.cwd, out));
      return printList(context, taken, NONE, () =>
        taken.map(({ path, wasThere }) => (wasThere ? `${path} (there already)` : path)).join('\n'),
      );
    }
    const rows = files.map(({ step, name, file }) => {
      return [step === '' ? 'input' : step, name, formatBytes(file.bytes), file.$file.slice(0, 12), file.name];
    });
    printList(context, files, NONE, () => renderTable(['step', 'name', 'size', 'digest', 'file'], rows));
  });
}

type Source = Parameters<typeof takeFiles>[0]['store'];

async function withFiles(
  context: Context,
  key: string,
  action: (files: readonly TaskFile[], store: Source) => Promise<void>,
): Promise<void> {
  const { door } = context;
  if (door) {
    const { withDoor } = await import('../../program/door/door-client.js');
    return withDoor(context, door, async (client) => {
      const { files = [] } = await client.call('readResult', { key });
      return action(files, { openFile: (digest) => client.openFile(key, digest) });
    });
  }
  return withSession(context, await openRegistry(context), async (connection) => {
    const { result } = await keepingRuntime(connection, () => viewTask(connection, key));
    return action(result.files ?? [], connection.store);
  });
}

const NONE = 'The task has no files.';
