import type { Approval } from '../../contracts/approvals.js';
import type { TaskResult } from '../../contracts/task.js';

/** How long a caller waits for people. Restarts whenever the task continues, and after each decision. */
export class ApprovalPatience {
  private since: number | undefined;
  private open: readonly Approval[] = [];

  /** @param limitMs undefined: without end. */
  constructor(private readonly limitMs: number | undefined) {}

  /** Takes in how the task is now. @returns whether it has waited for people as long as the caller does. */
  hasEnded({ status, approvals }: Pick<TaskResult, 'status' | 'approvals'>, now: number = Date.now()): boolean {
    const open = approvals.filter((approval) => approval.status === 'open');
    // Two looks may both see a task that waits although one approval was decided between them, and another raised.
    if (status !== 'waiting_approval' || isAnswered(this.open, open)) this.since = undefined;
    this.open = open;
    if (status !== 'waiting_approval') return false;
    this.since ??= now;
    return this.limitMs !== undefined && now - this.since >= this.limitMs;
  }
}

/** Whether one of the approvals that were open has been decided, or has one decision more. */
function isAnswered(before: readonly Approval[], now: readonly Approval[]): boolean {
  return before.some((approval) => {
    const same = now.find(({ id, task }) => id === approval.id && task === approval.task);
    return same === undefined || same.decisions.length > approval.decisions.length;
  });
}
