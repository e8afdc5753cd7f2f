import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { ToolAnswer } from '../../contracts/session.js';

/** What a session is to know of an answer. */
export interface SessionNote {
  root: string;
  session: string;
  answer: ToolAnswer;
}

/** The variable in which the other process finds its note; arguments could be read by every user of the machine. */
export const NOTE_VARIABLE = 'ABILITY_GUARD_NOTE';

/**
 * Has another process tell a session of an answer, and waits for nothing: a server that is slow or down changes no answer.
 *
 * @returns what to say where the session cannot be told from here.
 */
export function noteSession(note: SessionNote, env: NodeJS.ProcessEnv): string | undefined {
  const isRemote = Boolean(env.TEMPORAL_ADDRESS || env.TEMPORAL_PROFILE);
  if (isRemote && !env.ABILITY_SEAL_KEYS)
    return `The session ${note.session} was not told of this: without ABILITY_SEAL_KEYS it hears nothing from this machine.`;
  const program = fileURLToPath(new URL('./note-process.js', import.meta.url));
  try {
    const child = spawn(process.execPath, [program], {
      cwd: note.root,
      detached: true,
      stdio: 'ignore',
      env: { ...env, [NOTE_VARIABLE]: JSON.stringify(note) },
    });
    child.on('error', () => {});
    child.unref();
    return undefined;
  } catch (error) {
    return `The session ${note.session} was not told of this: ${error instanceof Error ? error.message : String(error)}`;
  }
}
