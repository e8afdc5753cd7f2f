import type { Approval } from '../../contracts/approvals.js';
import type { TaskResult } from '../../contracts/task.js';

/** Limits a caller's wait for people. Restarts when the task continues, and after each decision. */
export class ApprovalPatience {
  private since: number | undefined;
  private open: readonly Approval[] = [];

  /** @param limitMs undefined: unlimited. */
  constructor(private readonly limitMs: number | undefined) {}

  /** Records the present state. @returns whether the task has waited for people as long as the limit. */
  hasEnded({ status, approvals }: Pick<TaskResult, 'status' | 'approvals'>, now: number = Date.now()): boolean {
    const open = approvals.filter((approval) => approval.status === 'open');
    // Between two polls, one approval may have been decided and another one raised.
    if (status !== 'waiting_approval' || isAnswered(this.open, open)) this.since = undefined;
    this.open = open;
    if (status !== 'waiting_approval') return false;
    this.since ??= now;
    return this.limitMs !== undefined && now - this.since >= this.limitMs;
  }
}

function isAnswered(before: readonly Approval[], now: readonly Approval[]): boolean {
  return before.some((approval) => {
    const same = now.find(({ id, task }) => id === approval.id && task === approval.task);
    return same === undefined || same.decisions.length > approval.decisions.length;
  });
}
