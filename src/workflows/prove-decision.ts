import { CancellationScope, condition, proxyLocalActivities } from '@temporalio/workflow';
import type { ProveAnswer, ProveRequest } from '../contracts/activities.js';
import type { Approval, Decision, DecisionOutcome, Verdict } from '../contracts/approvals.js';
import { ACTIVITIES } from '../contracts/names.js';
import { approvalToProve, NO_PROOF, type Proof } from '../rules/decide-approval.js';
import { takeDecision } from './approvals.js';
import { untilKeyed } from './await-key.js';
import { StepFailure } from './step-failure.js';
import type { TaskRun } from './task-run.js';

type Prove = (request: ProveRequest) => Promise<ProveAnswer>;

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
    const answer = await ask(run, { decision: { approval_id, raised_at, verdict, by, comment, fields }, proof });
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

/**
 * Refuses to raise an approval that nobody could give.
 *
 * @throws StepFailure `feature.unsupported`.
 */
export async function refuseUnprovable(run: TaskRun): Promise<void> {
  const { environment } = run.plan;
  if (environment.proof !== 'required') return;
  // Plans of earlier versions say nothing of it, and their histories hold no check.
  if (environment.proofs === undefined) {
    throw new StepFailure({
      code: 'feature.unsupported',
      message: `${environment.name} asks for proof of who decides, which this version cannot check`,
      suggestion: 'Leave out `proof: required`, or run where approvals are claims.',
    });
  }
  run.provable ??= ask(run, {}).then(
    ({ able }) => able,
    () => false,
  );
  if (await run.provable) return;
  throw new StepFailure({
    code: 'feature.unsupported',
    message: `${environment.name} asks for proof of who decides, and only the project's own runtime can check one: this worker is none of it`,
    suggestion: 'Leave out `proof: required` in this environment, or run on the own runtime of the project.',
  });
}

function ask(run: TaskRun, request: Omit<ProveRequest, 'seal'>): Promise<ProveAnswer> {
  const activities = proxyLocalActivities<Record<string, Prove>>({
    scheduleToCloseTimeout: '30s',
    startToCloseTimeout: '10s',
    retry: { maximumAttempts: 3, initialInterval: '200ms' },
  });
  const prove = activities[ACTIVITIES.prove] as Prove;
  return CancellationScope.nonCancellable(() => untilKeyed(() => prove({ ...run.context, ...request })));
}
