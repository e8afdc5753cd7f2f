import { type ClientRequest, request } from 'node:http';
import {
  type AnswerLine,
  COMMANDS_PATH,
  type CommandRequest,
  type SignalLine,
  splitLines,
} from './command-protocol.js';

/** After this silence the command bypasses the runtime and waits for it, or reports the error, itself. */
const PATIENCE_MS = 3000;
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** Further signals end the calling process without waiting for the runtime. */
const MAX_SIGNALS = 2;

export interface Asking {
  stdout: { write(text: string): unknown };
  stderr: { write(text: string): unknown };
  on(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
  removeListener(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
  kill(pid: number, signal: NodeJS.Signals): unknown;
  pid: number;
}

/** `declined`: the runtime did nothing; `lost`: it is not known how far the command came. */
export type TalkEnd = { kind: 'done'; exit: number } | { kind: 'declined' } | { kind: 'lost' };

/** Runs a command line in the runtime. Holds stdout until the end, so that a rerun prints its result once. */
export function talk(
  socketPath: string,
  wanted: CommandRequest,
  process: Asking,
  patienceMs = PATIENCE_MS,
): Promise<TalkEnd> {
  return new Promise((resolve) => {
    const sent = request({ socketPath, path: COMMANDS_PATH, method: 'POST', agent: false });
    const answer = new Answer(sent, process, (end) => {
      clearTimeout(patience);
      for (const signal of SIGNALS) process.removeListener(signal, hear);
      sent.destroy();
      resolve(end);
    });
    const patience = setTimeout(() => answer.lose(), patienceMs);
    let heard = 0;
    const hear = (signal: NodeJS.Signals): void => {
      heard += 1;
      if (heard > MAX_SIGNALS || !answer.isAccepted) answer.die(signal);
      else sent.write(`${JSON.stringify({ signal: signal as SignalLine['signal'] })}\n`);
    };
    for (const signal of SIGNALS) process.on(signal, hear);
    const take = splitLines((line) => {
      clearTimeout(patience);
      answer.take(JSON.parse(line) as AnswerLine);
    });
    sent.on('error', () => answer.lose());
    sent.on('response', (response) => {
      response.setEncoding('utf8');
      if (response.statusCode === 200) response.on('data', take);
      else response.resume();
      response.on('error', () => answer.lose());
      response.on('close', () => answer.lose());
    });
    sent.write(`${JSON.stringify(wanted)}\n`);
  });
}

class Answer {
  isAccepted = false;
  private isOver = false;
  private stdout = '';

  constructor(
    private readonly sent: ClientRequest,
    private readonly process: Asking,
    private readonly onEnd: (end: TalkEnd) => void,
  ) {}

  take(line: AnswerLine): void {
    if (this.isOver) return;
    if ('taken' in line) this.isAccepted = true;
    else if ('passed' in line) this.end({ kind: 'declined' });
    else if ('err' in line) this.process.stderr.write(line.err);
    else if ('out' in line) this.stdout += line.out;
    else if ('unheard' in line) this.die(line.unheard);
    else if ('exit' in line) {
      if (this.stdout !== '') this.process.stdout.write(this.stdout);
      this.end({ kind: 'done', exit: line.exit });
    }
  }

  /** The connection ended, or the runtime stayed silent. */
  lose(): void {
    this.end({ kind: this.isAccepted ? 'lost' : 'declined' });
  }

  /** Ends this process as the signal would without a listener. */
  die(signal: NodeJS.Signals): void {
    if (this.isOver) return;
    this.sent.destroy();
    this.end({ kind: 'done', exit: 1 });
    this.process.kill(this.process.pid, signal);
  }

  private end(end: TalkEnd): void {
    if (this.isOver) return;
    this.isOver = true;
    this.onEnd(end);
  }
}
