import { NOTE_VARIABLE, type SessionNote } from './note-session.js';
import { tellNote } from './tell-note.js';

/** The process that `ability guard` leaves behind to tell a session of its answer. It says nothing, and ends in any case. */
const MOST_MS = 20_000;

setTimeout(() => process.exit(1), MOST_MS).unref();
const { [NOTE_VARIABLE]: text = '', ...env } = process.env;
delete process.env[NOTE_VARIABLE];
await tellNote(JSON.parse(text) as SessionNote, env).catch(() => {
  process.exitCode = 1;
});
