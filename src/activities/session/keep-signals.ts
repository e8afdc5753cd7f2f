import { appendFileSync, existsSync, lstatSync, mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, sep } from 'node:path';
import type { HookAnswer } from '../../contracts/hooks.js';
import { reasonOf } from '../../contracts/problem.js';
import type { UnknownSignal } from '../../contracts/session.js';
import { mergeSignals } from '../../rules/sessions/merge-signals.js';
import { markdownLine } from '../../rules/shown-text.js';

const MAX_CHARACTERS = 2000;

/**
 * Appends unknown signals to `<scope>/workdocs/hook-signals.md`, one line each: time, session, hook, signal;
 * existing lines are not repeated. @throws if the file cannot be written or is outside the project. Source:
 * R-002-47.
 */
export function keepSignals(root: string, scope: string, session: string, signals: readonly UnknownSignal[]): void {
  if (signals.length === 0) return;
  const file = join(root, scope, 'workdocs', 'hook-signals.md');
  // Checked first: nothing is made outside the project.
  refuseOutside(root, nearestFolder(dirname(file)), scope);
  mkdirSync(dirname(file), { recursive: true });
  refuseOutside(root, dirname(file), scope);
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found && !found.isFile()) throw new Error(`${scope}/workdocs/hook-signals.md is no plain file`);
  const before = new Set(existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []);
  const lines = signals.map((signal) => lineOf(session, signal)).filter((line) => !before.has(line));
  if (lines.length > 0) appendFileSync(file, `${lines.join('\n')}\n`);
}

/** The folder itself, or its nearest existing ancestor; a dangling link counts as existing. */
function nearestFolder(folder: string): string {
  return lstatSync(folder, { throwIfNoEntry: false }) ? folder : nearestFolder(dirname(folder));
}

function refuseOutside(root: string, folder: string, scope: string): void {
  const [inside, real] = [realpathSync(root), realpathSync(folder)];
  if (real !== inside && !real.startsWith(inside + sep)) throw new Error(`${scope} leads out of the project`);
}

function lineOf(session: string, { at, hook, name, value }: UnknownSignal): string {
  const text = JSON.stringify({ [name]: value });
  const shown = text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}...` : text;
  return `- ${at} ${session} ${hook} ${markdownLine(shown)}`;
}

interface GuardedTask {
  task: string;
  session: string | null;
  /** Folder of the project that the task is about; absent: unknown, and nothing is written. */
  scope?: string;
}

/**
 * Writes the unknown signals of a task's guards to the documents of its scope. @param root absolute. @returns the
 * answers; the first one carries a warning if writing failed. Source: R-002-47.
 */
export function keepUnknown(
  root: string,
  { task, session, scope }: GuardedTask,
  answers: readonly HookAnswer[],
  moment: number,
): HookAnswer[] {
  const { unknown } = mergeSignals(answers, [], new Date(moment).toISOString());
  if (scope === undefined || unknown.length === 0) return [...answers];
  const warning = whyNotKept(root, scope, session ?? task, unknown);
  if (warning === undefined) return [...answers];
  return answers.map((answer, at) => {
    return at === 0 ? { ...answer, warnings: [...(answer.warnings ?? []), `U${warning.slice(1)}`] } : answer;
  });
}

/** Runs {@link keepSignals}. @returns why the signals could not be written; undefined: they were. */
export function whyNotKept(...signals: Parameters<typeof keepSignals>): string | undefined {
  try {
    keepSignals(...signals);
    return undefined;
  } catch (error) {
    return `unknown signals were not written: ${reasonOf(error)}`;
  }
}
