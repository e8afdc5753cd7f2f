import { CancellationScope, isCancellation } from '@temporalio/workflow';
import { Halted } from './step-failure.js';

/**
 * Stops the branches of a `parallel` after one has failed: nothing new starts, waits end, calls under way go on.
 *
 * Source: answers, "on_failure".
 */
export class Halt {
  private isTripped = false;
  private readonly inner = new Set<Halt>();
  private readonly waits = new CancellationScope();

  /** @param outer the one around it, which stops this one as well. */
  constructor(private readonly outer?: Halt) {
    outer?.inner.add(this);
  }

  /** @throws Halted when a branch beside this one has failed. */
  check(): void {
    if (this.isTripped) throw new Halted();
  }

  /** Stops everything inside. */
  trip(): void {
    if (this.isTripped) return;
    this.isTripped = true;
    this.waits.cancel();
    for (const halt of this.inner) halt.trip();
  }

  /** Runs a wait that ends with Halted when this trips. */
  async wait<T>(wait: () => Promise<T>): Promise<T> {
    this.check();
    try {
      return await this.waits.run(wait);
    } catch (error) {
      if (this.isTripped && isCancellation(error)) throw new Halted();
      throw error;
    }
  }

  /** Lets the outer one forget it. */
  done(): void {
    this.outer?.inner.delete(this);
  }
}
