import { AbilityError } from '../../contracts/problem.js';

export interface QueueLimits {
  atOnce: number;
  waiting: number;
}

export class CallQueue {
  private working = 0;
  private readonly queue: (() => void)[] = [];

  constructor(private readonly limits: QueueLimits = { atOnce: 16, waiting: 256 }) {}

  get isCrowded(): boolean {
    return this.queue.length > 0;
  }

  /** @throws AbilityError `door.busy` if too many wait; the signal's reason if it aborts in the queue. */
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

  /** Passes the place on to the next call in the queue, without freeing it. */
  private leave(): void {
    const next = this.queue.shift();
    if (next) next();
    else this.working -= 1;
  }

  private busy(): AbilityError {
    const { atOnce, waiting } = this.limits;
    return new AbilityError({
      code: 'door.busy',
      message: `${atOnce} calls are running and ${waiting} wait; this one was not started`,
      suggestion: 'Call again when some of them have been answered.',
    });
  }
}
