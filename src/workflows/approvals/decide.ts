import type { Approval, Decision, DecisionOutcome, DecisionProof, Verdict } from '../../contracts/approvals.js';
import type { Json } from '../../contracts/json.js';
import { approvalToProve, decideApproval, type Proof } from '../../rules/tasks/decide-approval.js';
import type { TaskRun } from '../task/task-run.js';
import { proofOf } from './proofs.js';

const VERDICTS: readonly Verdict[] = ['approve', 'deny', 'request_changes'];

/** @throws TypeError for an update that is not a decision. */
export function refuseNoVerdict(argument: { verdict?: unknown } | undefined): void {
  if (VERDICTS.some((verdict) => verdict === argument?.verdict)) return;
  throw new TypeError(
    'A decision has the form {verdict: "approve" | "deny" | "request_changes", decision: {approval_id, by, comment}}',
  );
}

/** Applies a decision from an update, after checking any required proof. Source: docs/approvals.md. */
export function decide(run: TaskRun, verdict: Verdict, sent: unknown): DecisionOutcome | Promise<DecisionOutcome> {
  const decision = asDecision(sent);
  const approval = approvalToProve(run.approvals.list, decision);
  if (!approval || !decision.proof || decision.approval_id === undefined) return take(run, verdict, decision);
  return takeProved(run, approval, verdict, decision);
}

/** A signal proves nothing, so it does not count where proof is required. */
export function decideBySignal(run: TaskRun, name: 'approve' | 'deny', sent: unknown): void {
  const { proof: _, ...decision } = asDecision(sent);
  const verdict = name === 'deny' && decision.request_changes ? 'request_changes' : name;
  take(run, verdict, decision, FROM_SIGNAL);
}

const FROM_SIGNAL: Proof = {
  proved: false,
  reason: 'it came as a signal, which proves nothing, and proof of who decides is required here',
};

/** The task does not end before the check, so that the sender learns the result of the decision. */
async function takeProved(
  run: TaskRun,
  approval: Approval,
  verdict: Verdict,
  decision: Decision,
): Promise<DecisionOutcome> {
  const { life, approvals } = run;
  approvals.pendingProofs += 1;
  life.pendingWork += 1;
  try {
    return take(run, verdict, decision, await proofOf(run.task, approval, verdict, decision));
  } finally {
    life.pendingWork -= 1;
    approvals.pendingProofs -= 1;
  }
}

/** @param proof omitted if the decision has none. */
function take({ approvals, warnings }: TaskRun, verdict: Verdict, decision: Decision, proof?: Proof): DecisionOutcome {
  const outcome = decideApproval(approvals.list, verdict, decision, new Date().toISOString(), proof);
  if (!outcome.counted && outcome.approval_id === null) {
    warnings.add(`A decision (${verdict}) was ignored: ${outcome.reason}`);
  }
  return outcome;
}

/** Input sent by hand may be any value. */
function asDecision(value: unknown): Decision {
  if (value === null || typeof value !== 'object') return {};
  const { approval_id, by, comment, fields, request_changes, proof } = value as Record<string, unknown>;
  return {
    ...(typeof approval_id === 'string' && { approval_id }),
    ...(typeof by === 'string' && { by }),
    ...(typeof comment === 'string' && { comment }),
    ...(fields !== null && typeof fields === 'object' && { fields: fields as Record<string, Json> }),
    ...(request_changes === true && { request_changes }),
    ...(isProof(proof) && { proof }),
  };
}

function isProof(value: unknown): value is DecisionProof {
  if (value === null || typeof value !== 'object') return false;
  const { nonce, mac, token } = value as Record<string, unknown>;
  const isNamed = token === undefined || typeof token === 'string';
  return typeof nonce === 'string' && typeof mac === 'string' && isNamed;
}
