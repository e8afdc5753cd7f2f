import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { hasEnded, type Session, viewTask } from '../../../client/index.js';
import { EXIT, type ExitCode } from '../../../contracts/exit-codes.js';
import { AbilityError } from '../../../contracts/problem.js';
import { RECORD_FILES } from '../../../contracts/record.js';
import { didYouMean } from '../../../rules/nearest.js';
import { pathsOf } from '../../../server/project-paths.js';
import { type Context, openRegistry, withSession } from '../context.js';
import { recordFolder, whyMissing } from './task-record.js';

interface LogLine {
  time: string;
  step: string;
  attempt: number;
  stream: string;
  text: string;
}

const LOOK_MS = 300;

/** `ability task logs KEY [STEP] [-f]`: what the calls of a task wrote. Source: answers, 17. */
export async function run(
  context: Context,
  [key = '', step]: string[],
  { follow }: { follow?: boolean },
): Promise<ExitCode> {
  const registry = await openRegistry(context);
  const folder = recordFolder(pathsOf(registry.root).records, key);
  if (!existsSync(folder)) throw await whyMissing(context, registry, key, folder);
  const logs = join(folder, RECORD_FILES.logs);
  if (!follow) {
    const lines = readLogs(logs, step);
    if (context.flags.json) context.terminal.print(JSON.stringify(lines, null, 2));
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
  let shown = 0;
  for (;;) {
    const ended = hasEnded(await viewTask(session, key));
    const lines = readLogs(logs, undefined).filter((line) => step === undefined || isOf(line.step, step));
    if (lines.length > shown) terminal.print(lines.slice(shown).map(renderLine).join('\n'));
    shown = Math.max(shown, lines.length);
    if (ended) return EXIT.ok;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

function readLogs(folder: string, step: string | undefined): LogLine[] {
  const files = filesIn(folder);
  const names = files.map((file) => relative(folder, file).replace(/\.jsonl$/, ''));
  if (step !== undefined && !names.some((name) => isOf(name, step))) {
    throw new AbilityError({
      code: 'usage.invalid',
      message: `No call of the step ${step} has written anything`,
      suggestion: didYouMean(step, names) ?? (names.length > 0 ? `There are logs of: ${names.join(', ')}.` : undefined),
    });
  }
  const lines = files
    .filter((_, index) => step === undefined || isOf(names[index] ?? '', step))
    .flatMap((file) => readFileSync(file, 'utf8').split('\n').filter(Boolean))
    .map((line) => JSON.parse(line) as LogLine);
  return lines.sort((a, b) => a.time.localeCompare(b.time));
}

/** A step is named by its path or, since ids are unique, by its id. */
function isOf(path: string, step: string): boolean {
  return path === step || path.endsWith(`/${step}`) || path.startsWith(`${step}/`);
}

function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return filesIn(path);
    return entry.name.endsWith('.jsonl') ? [path] : [];
  });
}

function renderLine({ time, step, attempt, stream, text }: LogLine): string {
  return `${time.slice(11, 23)} ${step}${attempt > 1 ? `#${attempt}` : ''} ${stream}: ${text}`;
}
