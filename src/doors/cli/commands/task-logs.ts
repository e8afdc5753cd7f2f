import { existsSync } from 'node:fs';
import { join } from 'node:path';
import {
  type CallLog,
  hasEnded,
  keepingRuntime,
  type LogLine,
  readCallLogs,
  type Session,
  viewTask,
} from '../../../client/index.js';
import { EXIT, type ExitCode } from '../../../contracts/exit-codes.js';
import { AbilityError } from '../../../contracts/problem.js';
import { RECORD_FILES } from '../../../contracts/record.js';
import { didYouMean } from '../../../rules/nearest.js';
import { pathsOf } from '../../../server/project-paths.js';
import { type Context, openRegistry, withSession } from '../context.js';
import { plainText } from '../plain-text.js';
import { recordFolder, whyMissing } from './task-record.js';

const LOOK_MS = 300;

/** `ability task logs KEY [STEP] [-f]`: what the calls of a task wrote. Source: answers, 17. */
export async function run(
  context: Context,
  [key = '', step]: string[],
  { follow }: { follow?: boolean },
): Promise<ExitCode> {
  const registry = await openRegistry(context);
  const folder = recordFolder(pathsOf(registry.root).records, key);
  if (!existsSync(folder) || existsSync(join(folder, RECORD_FILES.deleted)))
    throw await whyMissing(context, registry, key, folder);
  const logs = join(folder, RECORD_FILES.logs);
  if (!follow) {
    const found = readLogs(logs, step);
    if (step !== undefined && found.length === 0) throw nothingWritten(logs, step);
    const lines = inOrder(found);
    if (context.flags.json) context.terminal.printJson(lines);
    else if (lines.length === 0) context.terminal.note('Nothing was written.');
    else context.terminal.print(lines.map(renderLine).join('\n'));
    return EXIT.ok;
  }
  if (context.flags.json) {
    throw new AbilityError({
      code: 'usage.invalid',
      message: '--follow has no end that one JSON value could wait for',
    });
  }
  return withSession(context, registry, (session) => followLogs(context, session, key, logs, step));
}

async function followLogs(
  { terminal }: Context,
  session: Session,
  key: string,
  logs: string,
  step: string | undefined,
): Promise<ExitCode> {
  const shown = new Map<string, number>();
  for (;;) {
    const ended = hasEnded(await keepingRuntime(session, () => viewTask(session, key)));
    const lines = newLines(readLogs(logs, step), shown);
    if (lines.length > 0) terminal.print(lines.map(renderLine).join('\n'));
    if (ended) return EXIT.ok;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

/** Lines of each call that were not shown yet; then they are. The logs of several calls grow side by side. */
export function newLines(logs: CallLog[], shown: Map<string, number>): LogLine[] {
  const fresh = logs.map(({ file, name, lines }) => {
    const own = `${file} ${name}`;
    const before = shown.get(own) ?? 0;
    shown.set(own, lines.length);
    return { file, name, lines: lines.slice(before) };
  });
  return inOrder(fresh);
}

function readLogs(folder: string, step: string | undefined): CallLog[] {
  return readCallLogs(folder, (path) => step === undefined || isOf(path, step));
}

function inOrder(logs: CallLog[]): LogLine[] {
  return logs.flatMap(({ lines }) => lines).sort((a, b) => a.time.localeCompare(b.time));
}

/** Of a loop over thousands of items, as many as are read. */
const MOST_NAMES = 20;

function listOf(names: readonly string[]): string {
  const left = names.length - MOST_NAMES;
  return [...names.slice(0, MOST_NAMES), ...(left > 0 ? [`${left} more`] : [])].join(', ');
}

/** The error for a step without a log, which says what there is. */
function nothingWritten(folder: string, step: string): AbilityError {
  const names = [...new Set(readLogs(folder, undefined).map(({ name }) => name))];
  return new AbilityError({
    code: 'usage.invalid',
    message: `No call of the step ${step} has written anything`,
    suggestion: didYouMean(step, names) ?? (names.length > 0 ? `There are logs of: ${listOf(names)}.` : undefined),
  });
}

/**
 * Whether a log is of a step, named by its path or, since ids are unique, by its id.
 *
 * In a loop `hosts/12/check` is that of one item and `hosts/12` all of that item; with `*` in place of the number they are
 * those of every item. `hosts[12]/check` is read as well.
 */
export function isOf(path: string, step: string): boolean {
  const names = step.replaceAll(/\[(\d+|\*)\]/g, '/$1').split('/');
  const own = path.split('/');
  const fits = (from: number): boolean =>
    names.every((name, at) => name === own[from + at] || isAny(name, own[from + at]));
  return fits(0) || fits(own.length - names.length);
}

function isAny(name: string, own: string | undefined): boolean {
  return name === '*' && own !== undefined && /^\d+$/.test(own);
}

function renderLine({ time, step, attempt, stream, text }: LogLine): string {
  return `${time.slice(11, 23)} ${step}${attempt > 1 ? `#${attempt}` : ''} ${stream}: ${plainText(text)}`;
}
