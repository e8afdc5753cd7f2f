import { execa } from 'execa';
import type { CallLog } from '../call-log.js';

/** What a child process is started with. It gets nothing else of ours. */
export interface ProcessRequest {
  command: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
  stdin?: string;
  timeoutMs: number;
  /** Ends the process group when it fires. */
  signal: AbortSignal;
  log: CallLog;
  /** Keep what it prints on stdout, up to this many characters. */
  keepStdout?: number;
}

/** How a child process ended. */
export interface ProcessOutcome {
  ended: 'exit' | 'signal' | 'timeout' | 'aborted' | 'not_started';
  exitCode: number | undefined;
  signal: string | undefined;
  stdout: string;
  /** Why it could not be started. */
  reason: string | undefined;
}

/** Told of each process group while it lives, so that a worker that is killed leaves none behind for good. */
export interface ProcessGroups {
  add(pid: number): () => void;
}

/** Asked to end, a process group has this long before it is killed. */
const GRACE_MS = 2000;
/** What a program printed before it ended is read within this time. */
const PIPES_MS = 1000;

/**
 * Runs a program in a process group of its own, without a shell; the group dies with the call, children included.
 *
 * Never throws for what the program does. Source: design, section 12.
 */
export async function runProcess(request: ProcessRequest, groups: ProcessGroups): Promise<ProcessOutcome> {
  const { command, args, cwd, env, stdin, timeoutMs, signal, log, keepStdout = 0 } = request;
  if (signal.aborted) return { ended: 'not_started', ...NOTHING, reason: 'the call was cancelled before it started' };
  const child = execa(command, args, {
    cwd,
    env,
    extendEnv: false,
    detached: true,
    cleanup: false,
    buffer: false,
    reject: false,
    ...(stdin === undefined ? { stdin: 'ignore' } : { input: stdin }),
  });
  const group = child.pid;
  const forget = group === undefined ? () => {} : groups.add(group);
  let stopped: 'timeout' | 'aborted' | undefined;
  let killTimer: NodeJS.Timeout | undefined;
  const stop = (why: 'timeout' | 'aborted'): void => {
    if (stopped) return;
    stopped = why;
    signalGroup(group, 'SIGTERM');
    killTimer = setTimeout(() => signalGroup(group, 'SIGKILL'), GRACE_MS);
  };
  const timer = setTimeout(() => stop('timeout'), timeoutMs);
  const abort = (): void => stop('aborted');
  signal.addEventListener('abort', abort, { once: true });
  let stdout = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    log.write('stdout', chunk);
    if (stdout.length < keepStdout) stdout += chunk;
  });
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => log.write('stderr', chunk));
  let pipesTimer: NodeJS.Timeout | undefined;
  child.once('exit', () => {
    // Children that outlive the program keep its pipes open; they end with it. One that left the group does not.
    signalGroup(group, 'SIGKILL');
    pipesTimer = setTimeout(() => {
      child.stdout?.destroy();
      child.stderr?.destroy();
    }, PIPES_MS);
  });
  const result = await child;
  clearTimeout(pipesTimer);
  clearTimeout(timer);
  clearTimeout(killTimer);
  signal.removeEventListener('abort', abort);
  forget();
  const ended = group === undefined ? 'not_started' : (stopped ?? (result.signal === undefined ? 'exit' : 'signal'));
  const reason = ended === 'not_started' ? (result.originalMessage ?? result.shortMessage) : undefined;
  return { ended, exitCode: result.exitCode, signal: result.signal, stdout, reason };
}

const NOTHING = { exitCode: undefined, signal: undefined, stdout: '' } as const;

function signalGroup(group: number | undefined, signal: NodeJS.Signals): void {
  if (group === undefined) return;
  try {
    process.kill(-group, signal);
  } catch (error) {
    // The group is gone, or (on macOS) holds only a zombie.
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}
