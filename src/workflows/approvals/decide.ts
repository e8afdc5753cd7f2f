import type { Approval, Decision, DecisionProof, Verdict } from '../../contracts/approvals.js';
import type { Json } from '../../contracts/json.js';
import {
  approvalToEdit,
  approvalToProve,
  type CheckedEdit,
  decideApproval,
  type Proof,
} from '../../rules/tasks/decide-approval.js';
import { personOf } from '../reports/report-audit.js';
import type { TaskRun } from '../task/task-run.js';
import { checkEdit } from './edit.js';
import { notifyOfApproval } from './notices.js';
import { proofOf } from './proofs.js';

/** Applies the decision of a signal once, after checking any required proof. */
export function decide(run: TaskRun, name: 'approve' | 'deny', sent: unknown): void | Promise<void> {
  const decision = asDecision(sent);
  if (run.approvals.has(decision.id)) return undefined;
  const verdict = name === 'deny' && decision.request_changes ? 'request_changes' : name;
  const { list } = run.approvals;
  const isProved = decision.proof !== undefined && decision.approval_id !== undefined;
  const toProve = isProved ? approvalToProve(list, decision) : undefined;
  const toEdit = verdict === 'approve' ? approvalToEdit(list, decision) : undefined;
  if (!toProve && !toEdit) return take(run, verdict, decision);
  return takeChecked(run, { toProve, toEdit }, verdict, decision);
}

/** Proof and edit are checked first. The task does not end meanwhile, so that the sender learns the result. */
async function takeChecked(
  run: TaskRun,
  { toProve, toEdit }: { toProve: Approval | undefined; toEdit: Approval | undefined },
  verdict: Verdict,
  decision: Decision,
): Promise<void> {
  const { life, approvals } = run;
  approvals.note(decision.id, null);
  approvals.pendingProofs += 1;
  life.pendingWork += 1;
  try {
    const proof = toProve && (await proofOf(run.task, toProve, verdict, decision));
    if (!toEdit) return take(run, verdict, decision, proof);
    await approvals.inTurn(async () => {
      const edit = await checkEdit(run, toEdit, decision, proof);
      take(run, verdict, decision, proof, edit);
      if (!edit || !('id' in edit) || toEdit.id !== edit.id || toEdit.status !== 'open') return;
      // The others are asked about something else now.
      notifyOfApproval(run, 'approval.requested', toEdit);
      life.publish('waiting_approval');
    });
  } finally {
    life.pendingWork -= 1;
    approvals.pendingProofs -= 1;
  }
}

/** @param proof omitted if the decision has none. */
function take(run: TaskRun, verdict: Verdict, decision: Decision, proof?: Proof, edit?: CheckedEdit): void {
  const { approvals, warnings, audit } = run;
  const outcome = decideApproval(approvals.list, verdict, decision, new Date().toISOString(), proof, edit);
  if (!outcome.counted && outcome.approval_id === null) {
    warnings.add(`A decision (${verdict}) was ignored: ${outcome.reason}`);
  }
  approvals.note(decision.id, outcome);
  const approval = approvals.list.findLast(({ id }) => id === outcome.approval_id);
  if (!approval) return;
  const counted = outcome.counted ? approval.decisions.at(-1) : undefined;
  const who = counted ? personOf(counted.by) : { by: decision.by, proof: 'claimed' };
  const { fields, at } = approval.edited?.at(-1) ?? {};
  if (fields && at === counted?.at) audit.decided('edited', approval, { result: fields.join(' '), ...who });
  audit.decided('decision', approval, { result: counted ? verdict : `ignored ${verdict}`, ...who });
}

/** Input sent by hand may be any value. */
function asDecision(value: unknown): Decision {
  if (value === null || typeof value !== 'object') return {};
  const sent = value as Record<string, unknown>;
  const { fields, grant, denied_items, request_changes, proof } = sent;
  const texts = (['id', 'approval_id', 'by', 'comment'] as const).filter((name) => typeof sent[name] === 'string');
  return {
    ...Object.fromEntries(texts.map((name) => [name, sent[name]])),
    ...(fields !== null && typeof fields === 'object' && { fields: fields as Record<string, Json> }),
    // Of whatever form: a decision that is not wholly understood does not count.
    ...(grant !== undefined && grant !== null && { grant }),
    ...(denied_items !== undefined && denied_items !== null && { denied_items }),
    ...(request_changes === true && { request_changes }),
    ...(isProof(proof) && { proof }),
  };
}

function isProof(value: unknown): value is DecisionProof {
  if (value === null || typeof value !== 'object') return false;
  const { nonce, mac, token, door, signature, source, issuer, subject, groups } = value as Record<string, unknown>;
  if (typeof nonce !== 'string') return false;
  if (door === undefined) return typeof mac === 'string' && (token === undefined || typeof token === 'string');
  return (
    [door, signature, subject].every((text) => typeof text === 'string') &&
    (source === 'oidc' || source === 'token' || source === 'slack') &&
    (issuer === null || typeof issuer === 'string') &&
    Array.isArray(groups) &&
    groups.every((group) => typeof group === 'string')
  );
}
