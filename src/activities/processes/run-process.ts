import { StringDecoder } from 'node:string_decoder';
import { execa } from 'execa';
import type { CallLog } from '../call/call-log.js';

/** The processes that one call started, and all their descendants. */
export interface StartedProcesses {
  /** Environment variables that identify descendants which left the process group. */
  readonly variables: Readonly<Record<string, string>>;
  /** @param pid undefined if the start failed. @param leads whether it leads its own process group. */
  started(pid: number | undefined, leads: boolean): void;
  /** Remembers the descendants that can be found now, before their parents end. */
  look(): Promise<void>;
  /** Sends a signal to all of them that can be found; to none once `end` has begun. */
  signal(signal: NodeJS.Signals): Promise<void>;
  /** Kills processes until none is found. @param limitMs gives up after this time. @returns the number left. */
  end(limitMs: number): Promise<number>;
}

/** Tracks the processes of running calls, so that a killed worker leaves none behind permanently. */
export interface ProcessGroups {
  begin(): StartedProcesses;
  /** Resolves when the caller may start a process: many starts at once would hold up all other calls. */
  turn(): Promise<void>;
}

/** Start options of a child process, which inherits nothing else from the worker. */
export interface ProcessRequest {
  command: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
  /** Descriptors from 3 on; absent: none of the worker's. */
  descriptors?: readonly ('ignore' | number)[];
  /** The text of stdin, or a file to read it from. */
  stdin?: string | { file: string };
  timeoutMs: number;
  /** Ends the processes when it fires. */
  signal: AbortSignal;
  log: Pick<CallLog, 'write' | 'add'>;
  /** Maximum bytes of stdout to keep. */
  keepStdout?: number;
  patience?: Patience;
}

export interface ProcessOutcome {
  ended: 'exit' | 'signal' | 'timeout' | 'aborted' | 'not_started';
  exitCode: number | undefined;
  signal: string | undefined;
  stdout: Buffer;
  reason: string | undefined;
}

/** Time limits for the steps of ending a process, in milliseconds. */
interface Patience {
  /** Between the request to end and the kill. */
  graceMs: number;
  /** From the kill, or the process's own end, until all its processes ended and its pipes are read. */
  endMs: number;
}

const PATIENCE: Patience = { graceMs: 2000, endMs: 1000 };

/**
 * Runs a program in its own process group, without a shell; all its processes end with it, even those that left
 * the group. Never throws because of the program, nor waits for what it can delay: after its timeout it takes no
 * longer than its patience.
 */
export async function runProcess(request: ProcessRequest, groups: ProcessGroups): Promise<ProcessOutcome> {
  const { command, args, cwd, env, stdin, timeoutMs, signal, log, keepStdout = 0, patience = PATIENCE } = request;
  const descriptors = request.descriptors ?? [];
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
    // The types of execa lack descriptors above 9.
    stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe', ...(descriptors as 'ignore'[])],
    ...inputOf(stdin),
  });
  processes.started(child.pid, true);
  let stopped: 'timeout' | 'aborted' | undefined;
  const timers: NodeJS.Timeout[] = [];
  const later = (act: () => void, ms: number): void => void timers.push(setTimeout(act, ms));
  const closePipes = (): void => {
    for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe?.destroy();
  };
  let giveUp = (): void => {};
  // Does not wait for a process that cannot be killed, such as another user's.
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
    // Ends surviving processes, which keep the pipes open, without waiting for those not found.
    left = processes.end(patience.endMs);
    // The `await` below handles a failure.
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

function inputOf(stdin: ProcessRequest['stdin']) {
  if (stdin === undefined) return {};
  return typeof stdin === 'string' ? { input: stdin } : { inputFile: stdin.file };
}

/** Pieces are joined at this number: an output of single characters would take thirty times its size. */
const MAX_PIECES = 1024;

/** The start of an output that arrives in pieces, however small. */
export class KeptBytes {
  private pieces: Buffer[] = [];
  private length = 0;

  /** @param max minimum bytes to keep; the piece that reaches the limit is kept whole. */
  constructor(private readonly max: number) {}

  add(piece: Buffer): void {
    if (this.length >= this.max) return;
    this.length += piece.length;
    this.pieces.push(piece);
    if (this.pieces.length >= MAX_PIECES) this.pieces = [Buffer.concat(this.pieces)];
  }

  bytes(): Buffer {
    return Buffer.concat(this.pieces);
  }
}
