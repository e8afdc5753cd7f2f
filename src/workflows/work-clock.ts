/**
 * How much of its working time a task has used.
 *
 * It runs only while at least one call does, so time spent in approvals and waits does not count, and a limit on it
 * needs no timer: each call gets what is left. Source: design, section 5.
 */
export class WorkClock {
  private used = 0;
  private working = 0;
  private since = 0;

  constructor(private readonly limitMs: number) {}

  /** Milliseconds left, at least 0. */
  left(): number {
    const running = this.working > 0 ? Date.now() - this.since : 0;
    return Math.max(0, this.limitMs - this.used - running);
  }

  /** Runs work with the clock on. */
  async during<T>(work: () => Promise<T>): Promise<T> {
    if (this.working === 0) this.since = Date.now();
    this.working += 1;
    try {
      return await work();
    } finally {
      this.working -= 1;
      if (this.working === 0) this.used += Date.now() - this.since;
    }
  }
}
