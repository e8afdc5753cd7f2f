import { type ClientRequest, request } from 'node:http';
import { type AnswerLine, type AskedLine, COMMANDS_PATH, type SignalLine, splitLines } from './lines.js';

/** A runtime that says nothing for so long is passed by: the command itself then waits for it, or says what is wrong. */
const PATIENCE_MS = 3000;
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

type Output = Pick<NodeJS.WriteStream, 'write' | 'on' | 'removeListener'>;

/** Of the process that asks: where it writes, and what it hears. */
export interface Asking {
  stdout: Output;
  stderr: Output;
  on(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
  removeListener(signal: NodeJS.Signals, listener: (signal: NodeJS.Signals) => void): unknown;
  kill(pid: number, signal: NodeJS.Signals): unknown;
  pid: number;
}

/**
 * Has the runtime do a command line. What it says on stderr is passed on at once; stdout is kept until the end, so that a command that
 * has to be done again prints its result once.
 *
 * @returns its exit code; undefined where the runtime did not take it, or was gone before the end.
 */
export function talk(socketPath: string, asked: AskedLine, process: Asking): Promise<number | undefined> {
  return new Promise((resolve) => {
    const sent = request({ socketPath, path: COMMANDS_PATH, method: 'POST', agent: false });
    const answer = new Answer(sent, process, (exit) => {
      clearTimeout(patience);
      for (const signal of SIGNALS) process.removeListener(signal, hear);
      sent.destroy();
      resolve(exit);
    });
    const patience = setTimeout(() => answer.end(undefined), PATIENCE_MS);
    let heard = 0;
    const hear = (signal: NodeJS.Signals): void => {
      heard += 1;
      // The second one ends the process as usual.
      if (heard > 1 || !answer.isTaken) answer.die(signal);
      else sent.write(`${JSON.stringify({ signal: signal as SignalLine['signal'] })}\n`);
    };
    for (const signal of SIGNALS) process.on(signal, hear);
    for (const output of [process.stdout, process.stderr]) output.on('error', () => hear('SIGTERM'));
    const take = splitLines((line) => {
      clearTimeout(patience);
      answer.take(JSON.parse(line) as AnswerLine);
    });
    sent.on('error', () => answer.end(undefined));
    sent.on('response', (response) => {
      if (response.statusCode !== 200) {
        answer.end(undefined);
        return;
      }
      response.setEncoding('utf8');
      response.on('data', take);
      response.on('error', () => answer.end(undefined));
      response.on('close', () => answer.end(undefined));
    });
    sent.write(`${JSON.stringify(asked)}\n`);
  });
}

/** What has come of an answer. */
class Answer {
  isTaken = false;
  private isOver = false;
  private stdout = '';

  constructor(
    private readonly sent: ClientRequest,
    private readonly process: Asking,
    private readonly onEnd: (exit: number | undefined) => void,
  ) {}

  take(line: AnswerLine): void {
    if (this.isOver) return;
    if ('taken' in line) this.isTaken = true;
    else if ('passed' in line) this.end(undefined);
    else if ('err' in line) this.process.stderr.write(line.err);
    else if ('out' in line) this.stdout += line.out;
    else if ('unheard' in line) this.die(line.unheard);
    else if ('exit' in line) {
      if (this.stdout !== '') this.process.stdout.write(this.stdout);
      this.end(line.exit);
    }
  }

  end(exit: number | undefined): void {
    if (this.isOver) return;
    this.isOver = true;
    this.onEnd(exit);
  }

  /** Ends this process as the signal does where no one listens to it. */
  die(signal: NodeJS.Signals): void {
    this.isOver = true;
    this.sent.destroy();
    this.onEnd(128);
    this.process.kill(this.process.pid, signal);
  }
}
