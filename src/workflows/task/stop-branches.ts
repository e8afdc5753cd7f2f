import { CancellationScope, isCancellation } from '@temporalio/workflow';
import { BranchStopped } from '../steps/step-failure.js';

/** Starts nothing new, ends waits, lets calls finish. Source: docs/workflow-language.md#parallel-steps-and-races. */
export class BranchStop {
  private isTripped = false;
  private readonly inner = new Set<BranchStop>();
  private readonly waits = new Set<CancellationScope>();

  /** @param outer the enclosing one, which stops this one too. */
  constructor(private readonly outer?: BranchStop) {
    outer?.inner.add(this);
  }

  /** @throws BranchStopped when a branch beside this one has failed. */
  check(): void {
    if (this.isTripped) throw new BranchStopped();
  }

  trip(): void {
    if (this.isTripped) return;
    this.isTripped = true;
    for (const scope of this.waits) scope.cancel();
    for (const branchStop of this.inner) branchStop.trip();
  }

  /** Also stops all enclosing ones. */
  tripAll(): void {
    if (this.outer) this.outer.tripAll();
    else this.trip();
  }

  /** Runs a wait that ends with BranchStopped when this trips. */
  async wait<T>(wait: () => Promise<T>): Promise<T> {
    this.check();
    const outer = CancellationScope.current();
    const scope = new CancellationScope();
    this.waits.add(scope);
    try {
      return await scope.run(wait);
    } catch (error) {
      if (this.isTripped && isCancellation(error) && !outer.consideredCancelled) throw new BranchStopped();
      throw error;
    } finally {
      this.waits.delete(scope);
    }
  }

  /** Detaches this one from the enclosing one. */
  done(): void {
    this.outer?.inner.delete(this);
  }
}
