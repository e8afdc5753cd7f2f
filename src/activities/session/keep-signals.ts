import { appendFileSync, existsSync, lstatSync, mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import type { UnknownSignal } from '../../contracts/session.js';
import { markdownLine } from '../../rules/shown-text.js';

const MOST_CHARACTERS = 2000;

/**
 * Appends unknown signals to `<scope>/workdocs/hook-signals.md`, one line each: time, session, hook, signal; a line that it
 * has is not written again. Source: R-002-47.
 *
 * @throws where the file cannot be written, or lies outside of the project.
 */
export function keepSignals(root: string, scope: string, session: string, signals: readonly UnknownSignal[]): void {
  if (signals.length === 0) return;
  const file = join(root, scope, 'workdocs', 'hook-signals.md');
  refuseOutside(dirname(file), resolve(root), scope);
  mkdirSync(dirname(file), { recursive: true });
  refuseOutside(realpathSync(dirname(file)), realpathSync(root), scope);
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink()) throw new Error(`${file} is a link`);
  const before = new Set(existsSync(file) ? readFileSync(file, 'utf8').split('\n') : []);
  const lines = signals.map((signal) => lineOf(session, signal)).filter((line) => !before.has(line));
  if (lines.length > 0) appendFileSync(file, `${lines.join('\n')}\n`);
}

/** A session that is started by hand may name any scope. */
function refuseOutside(folder: string, root: string, scope: string): void {
  if (!folder.startsWith(root + sep)) throw new Error(`${scope} leads out of the project`);
}

function lineOf(session: string, { at, hook, name, value }: UnknownSignal): string {
  const text = JSON.stringify({ [name]: value });
  const shown = text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}...` : text;
  return `- ${at} ${session} ${hook} ${markdownLine(shown)}`;
}
