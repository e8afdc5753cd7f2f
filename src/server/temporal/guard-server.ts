import { spawn } from 'node:child_process';
import type { Writable } from 'node:stream';

/**
 * Time within which the server of a killed runtime ends: before a process that cannot see it may take the lock.
 * Seconds.
 */
const GRACE_S = 6;

/**
 * Waits until the runtime is gone, which closes its end of the pipe, then ends the server; unless that is gone, or a
 * command on this machine was faster, and its number is that of another process by now.
 */
const WAIT_AND_KILL = [
  'read -r _',
  'sleep "$3"',
  'if [ -r "/proc/$1/cmdline" ]; then grep -qF -- "$2" "/proc/$1/cmdline" || exit 0',
  'else ps -o args= -p "$1" | grep -qF -- "$2" || exit 0; fi',
  'kill -9 "$1"',
].join('\n');

/**
 * Ensures that a server does not outlive its runtime where it cannot be seen: on another host, or in a PID namespace,
 * others would open its database beside it.
 *
 * @param word an argument of the server that no other process has.
 * @param graceS how long a command on this machine may be faster, in seconds.
 * @returns a function that ends the watch.
 */
export function guardServer(pid: number, word: string, graceS = GRACE_S): () => void {
  const guard = spawn('sh', ['-c', WAIT_AND_KILL, 'server-guard', String(pid), word, String(graceS)], {
    cwd: '/',
    // It must outlive the group of its runtime.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  const pipe: Writable | null = guard.stdin;
  // A machine without a shell has no guard, and a guard that ended closes the pipe.
  guard.once('error', () => {});
  pipe?.on('error', () => {});
  guard.unref();
  return () => void guard.kill('SIGKILL');
}
