import { spawn } from 'node:child_process';
import type { Writable } from 'node:stream';

/** Seconds until a killed runtime's server is ended: before an unseen process may take the lock. */
const GRACE_S = 6;

/** When the runtime ends, which closes the pipe, kills the server unless another process has its pid by now. */
const WAIT_AND_KILL = [
  'read -r _',
  'sleep "$3"',
  'if [ -r "/proc/$1/cmdline" ]; then grep -qF -- "$2" "/proc/$1/cmdline" || exit 0',
  'else ps -o args= -p "$1" | grep -qF -- "$2" || exit 0; fi',
  'kill -9 "$1"',
].join('\n');

/**
 * Ensures that a server does not outlive its runtime: processes that cannot see it, on another host or in a PID
 * namespace, would open its database too. @param word an argument of the server that no other process has. @param
 * graceS seconds for a command on this machine to end it first. @returns a function that ends the watch.
 */
export function watchServer(pid: number, word: string, graceS = GRACE_S): () => void {
  const guard = spawn('sh', ['-c', WAIT_AND_KILL, 'server-guard', String(pid), word, String(graceS)], {
    cwd: '/',
    // The guard must survive a kill of the runtime's process group.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const pipe: Writable | null = guard.stdin;
  // Without a shell there is no guard; a guard that has ended closes the pipe.
  guard.once('error', () => {});
  pipe?.on('error', () => {});
  guard.unref();
  return () => void guard.kill('SIGKILL');
}
