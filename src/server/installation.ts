import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// From the package's root, two folders above `src/server`, `build/server` and each bundle.

/** A bundle beside that of the command; started by its path, so that the client need not import the worker. */
export const RUNTIME_PROGRAM = fileURLToPath(new URL('../../dist/hosting/runtime-main.js', import.meta.url));

/** The program that sends the answer of a guard to a session; a bundle beside that of the command. */
export const SESSION_NOTE_PROGRAM = fileURLToPath(new URL('../../dist/hosting/session-note-main.js', import.meta.url));

/** Carries the note to that program; arguments would be visible to every user of the machine. */
export const NOTE_VARIABLE = 'ABILITY_GUARD_NOTE';

/** The page for people, as the build made it. */
export const PAGE_FOLDER = fileURLToPath(new URL('../../dist/page/', import.meta.url));

let known: string | undefined;

export function packageVersion(): string {
  known ??= (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { version: string })
    .version;
  return known;
}
