import { CancellationScope, condition } from '@temporalio/workflow';
import type { ProveAnswer, ProveRequest } from '../../contracts/activities.js';
import type { Approval, Decision, Verdict } from '../../contracts/approvals.js';
import { ACTIVITIES } from '../../contracts/names.js';
import { NO_PROOF, type Proof } from '../../rules/tasks/decide-approval.js';
import { provedDecision } from '../../rules/tasks/decision-form.js';
import { localActivity, untilKeyed } from '../calls/local-activities.js';
import { messageOf, StepFailure } from '../steps/step-failure.js';
import type { TaskIdentity } from '../task/identity.js';
import type { Approvals } from './approvals.js';

/** Refuses an approval whose decisions could not be proved. @throws StepFailure `feature.unsupported`. */
export async function refuseUnprovable(task: TaskIdentity, approvals: Approvals): Promise<void> {
  const { environment } = task.plan;
  if (environment.proof !== 'required') return;
  approvals.provable ??= askProof(task, {}, false).then(
    ({ able }) => able,
    () => false,
  );
  if (await approvals.provable) return;
  throw new StepFailure({
    code: 'feature.unsupported',
    message: `${environment.name} requires proof of identity for decisions, and this worker can check none: it is not part of the project's own runtime, and ability.yaml names no door`,
    suggestion:
      "Add the public key of the door under `doors` (`ability keys create --for-door`), or run on the project's own runtime.",
  });
}

/** Checks the proof of a decision, in a local activity: no workflow has the key. */
export async function proofOf(
  task: TaskIdentity,
  approval: Approval,
  verdict: Verdict,
  sent: Decision,
): Promise<Proof> {
  const { proof } = sent;
  if (!proof) return NO_PROOF;
  try {
    const decision = provedDecision(approval, verdict, sent);
    // Without an answer the decision does not count, and its sender learns why.
    const answer = await askProof(task, { decision, proof }, true);
    if (!answer.able) return { proved: false, reason: 'no proof can be checked here' };
    if (answer.reason !== undefined) return { proved: false, reason: answer.reason };
    const source = 'door' in proof ? proof.source : proof.token === undefined ? 'os_user' : 'token';
    // Where proof is required, only the kinds accepted when the task was planned count.
    if (task.plan.environment.proofs?.includes(source) === false) {
      return { proved: false, reason: `it is proved by a ${source}, which did not count when the task was planned` };
    }
    return { ...('door' in proof && proof), proved: source, nonce: proof.nonce };
  } catch (error) {
    return { proved: false, reason: `its proof could not be checked: ${messageOf(error)}` };
  }
}

/** Has the worker verify a proof, or report whether it can verify any. */
function askProof(task: TaskIdentity, request: Omit<ProveRequest, 'seal'>, isAdvice: boolean): Promise<ProveAnswer> {
  const prove = localActivity<ProveRequest, ProveAnswer>(ACTIVITIES.prove);
  return CancellationScope.nonCancellable(() => untilKeyed(() => prove({ ...task.context, ...request }), isAdvice));
}

/** Waits for checks that are under way, before the task ends or continues as a new run. */
export async function joinProofs(approvals: Approvals): Promise<void> {
  await CancellationScope.nonCancellable(() => condition(() => approvals.pendingProofs === 0));
}
