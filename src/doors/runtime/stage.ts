import { EventEmitter } from 'node:events';
import type { ExitCode } from '../../contracts/exit-codes.js';
import type { Surroundings } from '../cli/output/terminal/surroundings.js';
import type { AnswerLine, CommandRequest, Screen, SignalLine } from './command-protocol.js';

type Stream = Surroundings['stdout'];

/**
 * Replaces the process of a command inside the runtime: its output goes to the caller, and the caller's signals come to
 * it.
 */
export class Stage extends EventEmitter implements Surroundings {
  readonly stdin = { isTTY: false };
  readonly stdout: Stream;
  readonly stderr: Stream;
  /** Resolves with the exit code when the command ends its process. */
  readonly left: Promise<number>;
  private leave: (exit: number) => void = () => {};
  private isDisconnected = false;

  constructor(
    { stdout, stderr }: Pick<CommandRequest, 'stdout' | 'stderr'>,
    private readonly send: (line: AnswerLine) => void,
  ) {
    super();
    this.stdout = this.stream(stdout, (out) => ({ out }));
    this.stderr = this.stream(stderr, (err) => ({ err }));
    this.left = new Promise((resolve) => {
      this.leave = resolve;
    });
  }

  exit(code: ExitCode): void {
    this.leave(code);
  }

  /** Never called: commands that read stdin do not run in the runtime. */
  readInput(): string {
    throw new Error('the runtime has no stdin of the command');
  }

  override once(event: string, listener: () => void): this {
    super.once(event, listener);
    // Listeners added after the disconnect get it, too.
    if (this.isDisconnected && event === 'SIGTERM') queueMicrotask(() => this.emit(event, event));
    return this;
  }

  signal(signal: SignalLine['signal']): void {
    if (!this.emit(signal, signal)) this.send({ unheard: signal });
  }

  /** The caller has disconnected: ends the command as SIGTERM would. */
  disconnect(): void {
    this.isDisconnected = true;
    this.emit('SIGTERM', 'SIGTERM');
  }

  private stream(screen: Screen, lineOf: (text: string) => AnswerLine): Stream {
    const write = (text: string): boolean => {
      this.send(lineOf(text));
      return true;
    };
    return Object.assign(new EventEmitter(), { ...screen, write }) as unknown as Stream;
  }
}
