import type { LastApproved, ShownApproval } from '../../../../client/index.js';
import type { Decision, DecisionOutcome, Verdict } from '../../../../contracts/approvals.js';

/** Where approvals are read and decided: in this project, or through a door. Known secrets are masked. */
export interface Desk {
  /** @throws AbilityError `task.not_found`, `worker.unavailable`. */
  read(key: string): Promise<ShownApproval[]>;
  list(): Promise<ShownApproval[]>;
  /** What was approved last of the same kind. */
  lastOf(approval: ShownApproval): Promise<LastApproved | null>;
  /**
   * Who decides, and how that is known, in words. @param as who was named. @param isProved whether proof is required.
   * @throws AbilityError `approval.unproved`, `approval.by_agent`, `door.forbidden`.
   */
  decider(as: string | undefined, isProved: boolean): Promise<{ by: string; known: string }>;
  /** Sends a decision to the task that asks: the named one, or one that it has called. @param approval undefined: none was shown. */
  send(
    key: string,
    approval: ShownApproval | undefined,
    verdict: Verdict,
    decision: Decision & { approval_id: string },
  ): Promise<Pick<Extract<DecisionOutcome, { counted: true }>, 'approval_id' | 'status' | 'missing'>>;
}

/** The id sent if no approval was shown; no approval has this id. */
export const NOTHING_SHOWN = '(none shown)';
