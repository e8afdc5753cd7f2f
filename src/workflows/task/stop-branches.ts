import { CancellationScope, isCancellation } from '@temporalio/workflow';
import { Halted } from '../steps/step-failure.js';

/**
 * Stops the branches of a `parallel` after one has failed: nothing new starts, waits end, calls under way go on.
 *
 * Source: docs/workflow-language.md#at-once.
 */
export class Halt {
  private isTripped = false;
  private readonly inner = new Set<Halt>();
  private readonly waits = new Set<CancellationScope>();

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
    for (const scope of this.waits) scope.cancel();
    for (const halt of this.inner) halt.trip();
  }

  /** Stops everything, the outer ones included. */
  tripAll(): void {
    if (this.outer) this.outer.tripAll();
    else this.trip();
  }

  /** Runs a wait that ends with Halted when this trips. */
  async wait<T>(wait: () => Promise<T>): Promise<T> {
    this.check();
    const outer = CancellationScope.current();
    const scope = new CancellationScope();
    this.waits.add(scope);
    try {
      return await scope.run(wait);
    } catch (error) {
      if (this.isTripped && isCancellation(error) && !outer.consideredCancelled) throw new Halted();
      throw error;
    } finally {
      this.waits.delete(scope);
    }
  }

  /** Lets the outer one forget it. */
  done(): void {
    this.outer?.inner.delete(this);
  }
}
