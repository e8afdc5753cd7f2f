import { StringDecoder } from 'node:string_decoder';
import { execa } from 'execa';
import type { CallLog } from '../call/call-log.js';

/** The processes of one call: those it started, and all their descendants. */
export interface StartedProcesses {
  /** Added to the environment of the process, to find descendants that left its group. */
  readonly variables: Readonly<Record<string, string>>;
  /** @param pid undefined where it could not be started. @param leads whether it leads a process group of its own. */
  started(pid: number | undefined, leads: boolean): void;
  /** Remembers those that can be found now by their parents, before these end. */
  look(): Promise<void>;
  /** Sends a signal to all of them that can be found; none once their end has begun. */
  signal(signal: NodeJS.Signals): Promise<void>;
  /**
   * Kills all of them that can be found, until none is.
   *
   * @param limitMs gives up after this time. @returns the number left.
   */
  end(limitMs: number): Promise<number>;
}

/** Knows the processes of calls while they live, so that a worker that is killed leaves none behind for good. */
export interface ProcessGroups {
  begin(): StartedProcesses;
  /** Resolves when it is the caller's turn to start a process: to start many at once would hold up all other calls. */
  turn(): Promise<void>;
}

/** Start options of a child process. It inherits nothing else of ours. */
export interface ProcessRequest {
  command: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
  /** Its text, or a file that it reads itself. */
  stdin?: string | { file: string };
  timeoutMs: number;
  /** Ends the processes when it fires. */
  signal: AbortSignal;
  log: CallLog;
  /** Keep up to this many bytes of its stdout. */
  keepStdout?: number;
  /** How long its end may take. */
  patience?: Patience;
}

/** How a child process ended. */
export interface ProcessOutcome {
  ended: 'exit' | 'signal' | 'timeout' | 'aborted' | 'not_started';
  exitCode: number | undefined;
  signal: string | undefined;
  stdout: Buffer;
  /** Why it could not be started. */
  reason: string | undefined;
}

/** How long the end of a process may take, step by step, in milliseconds. */
export interface Patience {
  /** Between the request to end and the kill. */
  graceMs: number;
  /** From the kill, or from its own end, until all its processes are gone and its pipes are read. */
  endMs: number;
}

const PATIENCE: Patience = { graceMs: 2000, endMs: 1000 };

/**
 * Runs a program in a process group of its own, without a shell; all processes of the call end with it, also those that
 * left the group.
 *
 * Never throws because of the program, and never waits for anything that it can delay: after its timeout it takes no
 * longer than its patience. Source: docs/operations.md#safety.
 */
export async function runProcess(request: ProcessRequest, groups: ProcessGroups): Promise<ProcessOutcome> {
  const { command, args, cwd, env, stdin, timeoutMs, signal, log, keepStdout = 0, patience = PATIENCE } = request;
  await groups.turn();
  if (signal.aborted) return { ended: 'not_started', ...NOTHING, reason: 'the call was cancelled before it started' };
  const processes = groups.begin();
  const child = execa(command, args, {
    cwd,
    env: { ...env, ...processes.variables },
    extendEnv: false,
    detached: true,
    cleanup: false,
    buffer: false,
    reject: false,
    ...stdinOf(stdin),
  });
  processes.started(child.pid, true);
  let stopped: 'timeout' | 'aborted' | undefined;
  const timers: NodeJS.Timeout[] = [];
  const later = (act: () => void, ms: number): void => void timers.push(setTimeout(act, ms));
  const closePipes = (): void => {
    for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe?.destroy();
  };
  let giveUp = (): void => {};
  // A process that not even a kill ends, as of another user, is not waited for.
  const gaveUp = new Promise<undefined>((resolve) => {
    giveUp = () => {
      closePipes();
      child.unref();
      resolve(undefined);
    };
  });
  const kill = (): void => {
    void processes.signal('SIGKILL');
    later(giveUp, patience.endMs);
  };
  const stop = (why: 'timeout' | 'aborted'): void => {
    if (stopped) return;
    stopped = why;
    void processes.signal('SIGTERM');
    later(kill, patience.graceMs);
  };
  later(() => stop('timeout'), timeoutMs);
  const abort = (): void => stop('aborted');
  signal.addEventListener('abort', abort, { once: true });
  const stdout = new KeptBytes(keepStdout);
  const letters = new StringDecoder('utf8');
  child.stdout?.on('data', (chunk: Buffer) => {
    log.write('stdout', letters.write(chunk));
    stdout.add(chunk);
  });
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => log.write('stderr', chunk));
  let left: Promise<number> | undefined;
  child.once('exit', () => {
    // Processes that outlive the program keep its pipes open; they end with it. Those not found must not delay the
    // call.
    left = processes.end(patience.endMs);
    // Awaited below, where the call fails with it.
    left.catch(() => {});
    later(closePipes, patience.endMs);
  });
  const result = await Promise.race([child, gaveUp]);
  for (const timer of timers) clearTimeout(timer);
  signal.removeEventListener('abort', abort);
  const lost = await left;
  if (lost) log.add('runtime', `${lost} processes that it started could not be ended`);
  if (child.pid === undefined) {
    return { ended: 'not_started', ...NOTHING, reason: result?.originalMessage ?? result?.shortMessage };
  }
  const ended = stopped ?? (result?.signal === undefined ? 'exit' : 'signal');
  return { ended, exitCode: result?.exitCode, signal: result?.signal, stdout: stdout.bytes(), reason: undefined };
}

const NOTHING = { exitCode: undefined, signal: undefined, stdout: Buffer.alloc(0) } as const;

function stdinOf(stdin: ProcessRequest['stdin']) {
  if (stdin === undefined) return { stdin: 'ignore' } as const;
  return typeof stdin === 'string' ? { input: stdin } : { inputFile: stdin.file };
}

/** Pieces joined at once: an output of single characters would take thirty times its size. */
const MAX_PIECES = 1024;

/** The start of an output that comes in pieces, however small these are. */
export class KeptBytes {
  private pieces: Buffer[] = [];
  private length = 0;

  /** @param most bytes to keep at least; the piece that reaches the limit is kept whole. */
  constructor(private readonly most: number) {}

  /** Takes the next piece. */
  add(piece: Buffer): void {
    if (this.length >= this.most) return;
    this.length += piece.length;
    this.pieces.push(piece);
    if (this.pieces.length >= MAX_PIECES) this.pieces = [Buffer.concat(this.pieces)];
  }

  /** The kept bytes. */
  bytes(): Buffer {
    return Buffer.concat(this.pieces);
  }
}
