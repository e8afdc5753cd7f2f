import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// Holds for the bundle of the command and for the library: both are two folders below the package's root.

/** A bundle beside that of the command; started by its path, so that the client need not import the worker. */
export const RUNTIME_PROGRAM = fileURLToPath(new URL('../hosting/runtime-main.js', import.meta.url));

/** The program that sends the answer of a guard to a session; a bundle beside that of the command. */
export const SESSION_NOTE_PROGRAM = fileURLToPath(new URL('../hosting/session-note-main.js', import.meta.url));

/** Carries the note to that program; arguments would be visible to every user of the machine. */
export const NOTE_VARIABLE = 'ABILITY_GUARD_NOTE';

let known: string | undefined;

export function packageVersion(): string {
  known ??= (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string })
    .version;
  return known;
}
