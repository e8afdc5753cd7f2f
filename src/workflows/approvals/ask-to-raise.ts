import type { ApprovalField, ApprovalSubject } from '../../contracts/approvals.js';
import { GUARD_APPROVAL_MS } from '../../rules/calls/call-limits.js';
import { isStepFailure } from '../steps/step-failure.js';
import type { BranchStop } from '../task/stop-branches.js';
import type { TaskRun } from '../task/task-run.js';
import { type ApprovalRequest, awaitApproval } from './await-approval.js';

interface Raise extends Pick<ApprovalRequest, 'path' | 'step' | 'title' | 'reasons'> {
  what: Omit<ApprovalSubject, 'environment'>;
  type: ApprovalField['type'];
  branchStop: BranchStop;
  capWait(ms: number): number;
}

/**
 * Asks people by how much to raise a limit. @returns how much, and a name of this decision that is unique in the task;
 * undefined if they deny it or no one decides. @throws cancellation; BranchStopped.
 */
export async function askToRaise(run: TaskRun, raise: Raise): Promise<{ by: number; decision: string } | undefined> {
  const { what, type, branchStop, capWait, ...asked } = raise;
  const { name, approvers, quorum } = run.task.plan.environment;
  try {
    const { id, raised_at, decisions } = await awaitApproval(
      run,
      {
        ...asked,
        what: { ...what, environment: name },
        approvers,
        quorum,
        expiresMs: capWait(GUARD_APPROVAL_MS),
        comment: 'optional',
        fields: { by: { type, title: 'Raise it by' } },
      },
      branchStop,
    );
    // Where several have to agree, the least that one of them allows.
    const by = Math.max(0, Math.min(...decisions.map(({ fields }) => Number(fields?.by ?? 0))));
    return { by, decision: `${id} ${raised_at}` };
  } catch (error) {
    const isNo = isStepFailure(error) && /^approval\.(denied|expired|changes_requested)$/.test(error.problem.code);
    if (isNo) return undefined;
    throw error;
  }
}
