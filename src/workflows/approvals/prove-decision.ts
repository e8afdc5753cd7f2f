import { CancellationScope, condition } from '@temporalio/workflow';
import type { Approval, Decision, DecisionOutcome, Verdict } from '../../contracts/approvals.js';
import { approvalToProve, NO_PROOF, type Proof } from '../../rules/decide-approval.js';
import type { TaskRun } from '../task/task-run.js';
import { askProof } from './ask-proof.js';
import { takeDecision } from './await-approval.js';

/**
 * Applies a decision that came as an update; where the approval asks for proof, that is checked first, in a local activity:
 * no workflow has the key. Source: docs/approvals.md.
 */
export function decideProved(
  run: TaskRun,
  verdict: Verdict,
  decision: Decision,
): DecisionOutcome | Promise<DecisionOutcome> {
  const approval = approvalToProve(run.approvals, decision);
  if (!approval || !decision.proof || decision.approval_id === undefined) return takeDecision(run, verdict, decision);
  return checked(run, approval, verdict, decision);
}

/** A task that ends meanwhile waits for the check, so that whoever decides learns what became of it. */
async function checked(
  run: TaskRun,
  approval: Approval,
  verdict: Verdict,
  decision: Decision,
): Promise<DecisionOutcome> {
  run.proving += 1;
  run.atWork += 1;
  try {
    const proof = await proofOf(run, approval, verdict, decision);
    return takeDecision(run, verdict, decision, proof);
  } finally {
    run.atWork -= 1;
    run.proving -= 1;
  }
}

async function proofOf(run: TaskRun, approval: Approval, verdict: Verdict, decision: Decision): Promise<Proof> {
  const { proof, by = '', comment = null, fields = null } = decision;
  if (!proof) return NO_PROOF;
  const { id: approval_id, raised_at } = approval;
  try {
    const answer = await askProof(run, { decision: { approval_id, raised_at, verdict, by, comment, fields }, proof });
    if (!answer.able) return { proved: false, reason: 'no proof can be checked here' };
    if (answer.reason !== undefined) return { proved: false, reason: answer.reason };
    const source = proof.token === undefined ? 'os_user' : 'token';
    // A task goes by what counted as proof when it was planned.
    if (!run.plan.environment.proofs?.includes(source)) {
      return { proved: false, reason: `it is proved by a ${source}, which did not count when the task was planned` };
    }
    return { proved: source, nonce: proof.nonce };
  } catch (error) {
    const reason = error instanceof Error ? (error.cause instanceof Error ? error.cause : error).message : 'unknown';
    return { proved: false, reason: `its proof could not be checked: ${reason}` };
  }
}

/** Waits for checks that are under way, before the task ends or goes on as a new run. */
export async function joinProofs(run: TaskRun): Promise<void> {
  await CancellationScope.nonCancellable(() => condition(() => run.proving === 0));
}
