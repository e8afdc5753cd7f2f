import { spawn } from 'node:child_process';
import { reasonOf } from '../../contracts/problem.js';
import type { SessionNote } from '../../contracts/session.js';
import { NOTE_VARIABLE, SESSION_NOTE_PROGRAM } from '../../server/installation.js';

/** From another process, without waiting: a slow server changes no answer. @returns why nothing is sent. */
export function noteSession(note: SessionNote, env: NodeJS.ProcessEnv): string | undefined {
  const isRemote = Boolean(env.TEMPORAL_ADDRESS || env.TEMPORAL_PROFILE);
  if (isRemote && !env.ABILITY_SEAL_KEYS)
    return `The session ${note.session} has no note of this: without ABILITY_SEAL_KEYS it accepts none from this machine.`;
  try {
    const child = spawn(process.execPath, [SESSION_NOTE_PROGRAM], {
      cwd: note.root,
      detached: true,
      stdio: 'ignore',
      env: { ...env, [NOTE_VARIABLE]: JSON.stringify(note) },
    });
    child.on('error', () => {});
    child.unref();
    return undefined;
  } catch (error) {
    return `The session ${note.session} has no note of this: ${reasonOf(error)}`;
  }
}
