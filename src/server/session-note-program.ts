import { fileURLToPath } from 'node:url';

/** The program that sends a session an answer of a guard; a bundle beside that of the command. */
export const SESSION_NOTE_PROGRAM = fileURLToPath(new URL('../hosting/session-note-main.js', import.meta.url));

/** The variable in which it finds its note; arguments could be read by every user of the machine. */
export const NOTE_VARIABLE = 'ABILITY_GUARD_NOTE';
