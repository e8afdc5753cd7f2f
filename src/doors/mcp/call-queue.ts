import { AbilityError } from '../../contracts/problem.js';

/** Calls at work at a time, and calls that may wait. */
export interface QueueLimits {
  atOnce: number;
  waiting: number;
}

/** Limits the calls at work; further ones wait in a queue, and are refused once that is full. */
export class CallQueue {
  private working = 0;
  private readonly queue: (() => void)[] = [];

  constructor(private readonly limits: QueueLimits = { atOnce: 16, waiting: 256 }) {}

  /** Whether calls wait for those at work. */
  get isCrowded(): boolean {
    return this.queue.length > 0;
  }

  /**
   * Does the work of a call when it is its turn.
   *
   * @throws AbilityError `door.busy` where too many wait already; the reason of the signal, where that fires in the queue.
   */
  async run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.enter(signal);
    try {
      return await work();
    } finally {
      this.leave();
    }
  }

  private async enter(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.working < this.limits.atOnce) {
      this.working += 1;
      return;
    }
    if (this.queue.length >= this.limits.waiting) throw this.busy();
    await new Promise<void>((resolve, reject) => {
      const begin = (): void => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      const giveUp = (): void => {
        this.queue.splice(this.queue.indexOf(begin), 1);
        reject(signal.reason);
      };
      signal.addEventListener('abort', giveUp, { once: true });
      this.queue.push(begin);
    });
  }

  /** The next in the queue takes the place, which is never free in between. */
  private leave(): void {
    const next = this.queue.shift();
    if (next) next();
    else this.working -= 1;
  }

  private busy(): AbilityError {
    const { atOnce, waiting } = this.limits;
    return new AbilityError({
      code: 'door.busy',
      message: `${atOnce} calls are at work and ${waiting} wait; this one was not begun`,
      suggestion: 'Call again when some of them have been answered.',
    });
  }
}
