import type { PlanLimits } from '../../contracts/plan.js';
import { formatDuration } from '../../rules/duration.js';
import { StepFailure } from '../steps/step-failure.js';

/** Remaining time for work. Times are milliseconds. */
export interface Budget {
  /** At least 0. @param statedMs the time that the work itself states. */
  left(statedMs: number): number;
  /** Starts work that uses the budget. */
  begin(): void;
  end(): void;
  /** Counts work that was done elsewhere. */
  spend(ms: number): void;
  /** Maximum duration of a wait for people or signals that should last `ms`. */
  capWait(ms: number): number;
  exhausted(): StepFailure;
}

/**
 * The working time of a task. It runs only during calls, so time in approvals and waits does not count, and a
 * limit needs no timer: each call gets the remainder.
 */
export class TaskBudget implements Budget {
  private working = 0;
  private since = 0;

  /** @param used working time of earlier runs of the task. */
  constructor(
    private readonly limitMs: number,
    private used = 0,
  ) {}

  spent(): number {
    return this.used;
  }

  spend(ms: number): void {
    this.used += ms;
  }

  left(): number {
    const running = this.working > 0 ? Date.now() - this.since : 0;
    return Math.max(0, this.limitMs - this.used - running);
  }

  begin(): void {
    if (this.working === 0) this.since = Date.now();
    this.working += 1;
  }

  end(): void {
    this.working -= 1;
    if (this.working === 0) this.used += Date.now() - this.since;
  }

  capWait(ms: number): number {
    return ms;
  }

  exhausted(): StepFailure {
    return new StepFailure({
      code: 'timeout.task',
      message: `The task has worked for longer than the ${this.limitMs / 1000} s it may`,
      suggestion: 'Raise the `timeout` of the ability, or find out why it is slow.',
    });
  }
}

/** The time of a clean-up, by the clock on the wall: waits count, so that it ends. */
export class CleanupBudget implements Budget {
  private readonly deadline: number;

  constructor(private readonly limits: PlanLimits) {
    this.deadline = Date.now() + limits.cleanup_ms;
  }

  /** By default each call has at least the time that it states. */
  left(statedMs: number): number {
    return Math.max(this.limits.cleanup_stated ? 0 : statedMs, this.deadline - Date.now());
  }

  begin(): void {}

  end(): void {}

  spend(): void {}

  capWait(ms: number): number {
    return Math.min(ms, this.left(0));
  }

  exhausted(): StepFailure {
    return new StepFailure({
      code: 'timeout.cleanup',
      message: `\`undo\` or \`finally\` has taken longer than the ${formatDuration(this.limits.cleanup_ms)} it may`,
      suggestion: 'Check what it left behind, and raise `limits.cleanup` of the ability.',
    });
  }
}
