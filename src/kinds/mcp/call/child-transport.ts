import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import {
  deserializeMessage,
  SdkError,
  SdkErrorCode,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import type { ConfinedCommand } from '../../../activities/processes/box/confine.js';
import { withoutNullMembers } from '../../../text/absent-as-null.js';
import { markBytes } from '../../../text/lossless-json/marked-json.js';

type Message = Parameters<Transport['send']>[0];

/** Start options of a server, which inherits nothing else from this process. */
export interface ChildServer {
  command: string;
  args: string[];
  cwd: string;
  env: Record<string, string>;
  /** Maximum bytes of a message. */
  maxBytes: number;
  /** The command in its box, made right before the start. */
  confined?: () => Promise<ConfinedCommand>;
  /** Milliseconds to wait for its end after stdin closes, and again after a request to end. */
  patienceMs?: number;
}

const PATIENCE_MS = 2000;

/**
 * A server as a child process: messages as lines of JSON on stdin and stdout. The SDK's transport would change
 * numbers and bytes that JavaScript cannot hold; here they arrive with marks, see `markBytes`.
 */
export class ChildTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport['onmessage']>;
  /** The server's stderr, from the first byte. */
  readonly stderr: Readable;
  private readonly errors = new PassThrough();
  private readonly lines: MessageLines;
  private child: ChildProcess | undefined;
  private isClosed = false;

  constructor(private readonly server: ChildServer) {
    this.stderr = this.errors;
    this.lines = new MessageLines(server.maxBytes);
  }

  get pid(): number | null {
    return this.child?.pid ?? null;
  }

  /** @throws Error of the operating system if the program cannot be started. */
  async start(): Promise<void> {
    const { cwd } = this.server;
    this.isClosed = false;
    const confined = await this.server.confined?.();
    if (this.isClosed) {
      await confined?.leave();
      throw new SdkError(SdkErrorCode.ConnectionClosed, 'Closed before the start');
    }
    const { command, args, env } = confined ?? this.server;
    const child = spawn(command, args, {
      cwd,
      env,
      stdio: ['pipe', 'pipe', 'pipe', ...(confined?.descriptors ?? [])],
      windowsHide: true,
    });
    this.child = child;
    const report = (error: Error): void => this.onerror?.(error);
    child.on('error', report);
    child.stdin?.on('error', report);
    child.stdout?.on('error', report);
    child.stdout?.on('data', (piece: Buffer) => this.receive(piece));
    child.stderr?.pipe(this.errors);
    const left = (): void => void confined?.leave().catch(report);
    child.once('error', left);
    child.once('close', () => {
      left();
      this.child = undefined;
      this.onclose?.();
    });
    await once(child, 'spawn');
  }

  async send(message: Message): Promise<void> {
    const { child } = this;
    if (!child?.stdin) throw new SdkError(SdkErrorCode.NotConnected, 'Not connected');
    if (!child.stdin.write(serializeMessage(message)))
      await Promise.race([once(child.stdin, 'drain'), once(child, 'close')]);
  }

  async close(): Promise<void> {
    const { child } = this;
    const { patienceMs = PATIENCE_MS } = this.server;
    this.isClosed = true;
    this.child = undefined;
    this.lines.clear();
    if (!child || child.pid === undefined) return;
    const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null;
    const closed = once(child, 'close');
    child.stdin?.end();
    await Promise.race([closed, wait(patienceMs, undefined, { ref: false })]);
    if (isOver()) return;
    child.kill('SIGTERM');
    await Promise.race([closed, wait(patienceMs, undefined, { ref: false })]);
    if (!isOver()) child.kill('SIGKILL');
  }

  private receive(piece: Buffer): void {
    try {
      for (const line of this.lines.add(piece)) this.read(line);
    } catch (error) {
      this.onerror?.(error as Error);
      this.close().catch((left: unknown) => this.onerror?.(left as Error));
    }
  }

  /** Ignores a line that is not JSON: it is output of the server, not a message. */
  private read(line: Buffer): void {
    try {
      this.onmessage?.(deserializeMessage(withoutNullMembers(markBytes(line))));
    } catch (error) {
      if (!(error instanceof SyntaxError)) this.onerror?.(error as Error);
    }
  }
}

export class MessageTooLarge extends Error {
  constructor(max: number) {
    super(`A message of the server has more than ${max} bytes`);
  }
}

const LINE_FEED = 0x0a;

/** Splits an output that arrives in pieces into lines; each line of a stdio server is a message. */
export class MessageLines {
  private pieces: Buffer[] = [];
  private length = 0;

  /** @param max maximum bytes of one line. */
  constructor(private readonly max: number) {}

  /** The lines that end in this piece, without line feeds. @throws MessageTooLarge. */
  *add(piece: Buffer): Generator<Buffer> {
    let rest = piece;
    for (let end = rest.indexOf(LINE_FEED); end >= 0; end = rest.indexOf(LINE_FEED)) {
      this.keep(rest.subarray(0, end));
      const line = Buffer.concat(this.pieces);
      this.clear();
      yield line;
      rest = rest.subarray(end + 1);
    }
    this.keep(rest);
  }

  /** Discards the unfinished line. */
  clear(): void {
    this.pieces = [];
    this.length = 0;
  }

  private keep(piece: Buffer): void {
    this.length += piece.length;
    if (this.length > this.max) {
      this.clear();
      throw new MessageTooLarge(this.max);
    }
    this.pieces.push(piece);
  }
}
