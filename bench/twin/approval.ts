/** How a person's decision reaches the workflow `approval`. */
import { condition, setHandler } from '@temporalio/workflow';
import {
  approveSignal,
  type Decision,
  decideUpdate,
  denySignal,
  type OutputOf,
  type PendingApproval,
  type Verdict,
} from './contract.js';
import type { Task } from './task.js';

const EXPIRES_AFTER_MS = 24 * 60 * 60 * 1000;

/** Who decided what; nobody when it expired. */
export type Decided = Pick<OutputOf<'approval'>, 'decision' | 'by'>;

/**
 * Registers the handlers, which accept nothing until the returned function waits.
 *
 * That function resolves to the first decision; what comes later, or for another approval, is dropped (signals) or refused
 * (update). Silence for 24 hours is a denial.
 */
export function listenForDecisions(task: Task): (id: string, title: string) => Promise<Decided> {
  let pending: PendingApproval | undefined;
  let decided: Decided | undefined;

  const refusalOf = ({ approval_id }: Decision): string | undefined => {
    if (!pending) return 'No approval is waited for.';
    if (approval_id !== undefined && approval_id !== pending.approval_id)
      return `No approval ${approval_id} is waited for.`;
    return undefined;
  };
  const accept = (verdict: Verdict, { by = null }: { by?: string | null }): Decided => {
    pending = undefined;
    decided = { decision: verdict === 'approve' ? 'approved' : 'denied', by };
    return decided;
  };
  const take = (verdict: Verdict, decision: Decision): void => {
    if (!refusalOf(decision)) accept(verdict, decision);
  };

  setHandler(approveSignal, (decision = {}) => take('approve', decision));
  setHandler(denySignal, (decision = {}) => take('deny', decision));
  setHandler(decideUpdate, ({ verdict, decision = {} }) => ({ decision: accept(verdict, decision).decision }), {
    validator: ({ verdict, decision = {} }) => {
      if (verdict !== 'approve' && verdict !== 'deny') throw new Error(`A verdict is approve or deny, not ${verdict}.`);
      const refusal = refusalOf(decision);
      if (refusal) throw new Error(refusal);
    },
  });

  return (id, title) => {
    const approval = { approval_id: id, title, expires_at: new Date(Date.now() + EXPIRES_AFTER_MS).toISOString() };
    return task.await(approval, async () => {
      pending = approval;
      await condition(() => decided !== undefined, EXPIRES_AFTER_MS, { summary: `${id} expires` });
      pending = undefined;
      return decided ?? { decision: 'denied', by: null };
    });
  };
}
