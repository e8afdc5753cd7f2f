import type { Approval } from '../../contracts/approvals.js';

export class Approvals {
  readonly list: Approval[];
  /** Number of pending checks of proofs. */
  pendingProofs = 0;
  /** Whether the workers of this task can check proofs; undefined until that is needed. */
  provable: Promise<boolean> | undefined;
  /** Pending handovers of notices to the server. */
  readonly notices: Promise<void>[] = [];

  constructor(carried: readonly Approval[] = []) {
    this.list = [...carried];
  }

  get open(): Approval[] {
    return this.list.filter(({ status }) => status === 'open');
  }
}
