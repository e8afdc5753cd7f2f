import type { SessionNote } from '../contracts/session.js';
import { NOTE_VARIABLE } from '../server/installation.js';
import { sendSessionNote } from './send-session-note.js';

/** The process that `ability guard` leaves behind to send a session its answer. It says nothing, and ends in any case. */
const MOST_MS = 20_000;

setTimeout(() => process.exit(1), MOST_MS).unref();
const { [NOTE_VARIABLE]: text = '', ...env } = process.env;
delete process.env[NOTE_VARIABLE];
await sendSessionNote(JSON.parse(text) as SessionNote, env).catch(() => {
  process.exitCode = 1;
});
