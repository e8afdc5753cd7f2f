import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// The bundle of the command and the library's modules are both two folders below the root of the package, as this file
// is: the paths below hold for both.

/** The program of a runtime; a bundle beside that of the command. It is started by its path, so that the client need not know the worker. */
export const RUNTIME_PROGRAM = fileURLToPath(new URL('../hosting/runtime-main.js', import.meta.url));

/** The program that sends the answer of a guard to a session; a bundle beside that of the command. */
export const SESSION_NOTE_PROGRAM = fileURLToPath(new URL('../hosting/session-note-main.js', import.meta.url));

/** The variable in which it finds its note; every user of the machine could read arguments. */
export const NOTE_VARIABLE = 'ABILITY_GUARD_NOTE';

let known: string | undefined;

/** The version of this package, from its own `package.json`. */
export function packageVersion(): string {
  known ??= (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string })
    .version;
  return known;
}
