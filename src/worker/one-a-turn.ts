/**
 * Lets one at a time go on in each turn of the event loop.
 *
 * To start a process holds up everything else for milliseconds. When a hundred calls begin together, timers, heartbeats
 * and the answers of other calls get their turn between two starts.
 */
export class OneATurn {
  private readonly waiting: (() => void)[] = [];

  next(): Promise<void> {
    return new Promise((resolve) => {
      this.waiting.push(resolve);
      if (this.waiting.length === 1) setImmediate(() => this.admit());
    });
  }

  private admit(): void {
    this.waiting[0]?.();
    this.waiting.shift();
    // One that is set in a turn comes in the next one.
    if (this.waiting.length > 0) setImmediate(() => this.admit());
  }
}
