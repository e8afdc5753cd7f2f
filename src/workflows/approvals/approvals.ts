import type { Approval } from '../../contracts/approvals.js';

/** The approvals of a task, with the checks of proofs and the notices that are under way. */
export class Approvals {
  readonly list: Approval[];
  /** Proofs of decisions that are being checked. */
  proving = 0;
  /** Whether the workers of this task can check proofs; undefined until that is needed. */
  provable: Promise<boolean> | undefined;
  /** Notices that the server takes over. */
  readonly notices: Promise<void>[] = [];

  constructor(carried: readonly Approval[] = []) {
    this.list = [...carried];
  }

  get open(): Approval[] {
    return this.list.filter(({ status }) => status === 'open');
  }
}
