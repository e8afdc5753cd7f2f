import type {
  Admitted,
  Approval,
  ApprovalField,
  CountedDecision,
  Decider,
  Decision,
  DecisionOutcome,
  Grant,
  ProofSource,
  Verdict,
} from '../../contracts/approvals.js';
import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import { canonicalJson } from '../canonical.js';
import { oneLine } from '../shown-text.js';
import { COMMENT_MISSING, needsComment } from './decision-form.js';
import { whyNoGrant } from './grants.js';
import { personKey } from './persons.js';

/** Whether a decision proved who made it, or why not. */
export type Proof = ({ proved: ProofSource; nonce: string } & Partial<Admitted>) | { proved: false; reason: string };

export const NO_PROOF: Proof = {
  proved: false,
  reason: 'it brings no proof of who decides, and proof is required here',
};

/**
 * Adds a decision to its approval, or to the ignored ones with the reason, in place. @param at ISO 8601.
 * @param proof checked if the approval requires it. Source: docs/approvals.md#who-may-decide;
 * docs/workflow-language.md#expressions.
 */
export function decideApproval(
  approvals: readonly Approval[],
  verdict: Verdict,
  decision: Decision,
  at: string,
  proof: Proof = NO_PROOF,
  edit?: CheckedEdit,
): DecisionOutcome {
  const found = findApproval(approvals, decision.approval_id);
  if (typeof found === 'string') return { counted: false, approval_id: decision.approval_id ?? null, reason: found };
  const name = nameIn(decision);
  const refused = edit && 'why' in edit ? edit.why : undefined;
  const why = whyIgnored(found, verdict, decision, proof) ?? refused;
  const notGranted = whyNoGrant(found, verdict, decision.grant);
  if (proof.proved && isUsed(found, proof)) found.nonces = [...new Set([...(found.nonces ?? []), proof.nonce])];
  if (why) {
    const reason = oneLine(why);
    found.ignored.push({ decision: verdict, by: name || null, reason, at });
    return {
      counted: false,
      approval_id: found.id,
      reason,
      ...(why === notGranted?.message && { code: notGranted.code }),
    };
  }
  const decider = deciderOf(found, name, proof);
  if (edit && 'input' in edit) applyEdit(found, edit, name === '' ? 'unnamed' : decider, at);
  found.decisions.push(countedDecision(found, verdict, decider, decision, at));
  const approving = found.decisions.filter((counted) => counted.decision === 'approve').length;
  if (verdict === 'deny') found.status = 'denied';
  else if (verdict === 'request_changes') found.status = 'changes_requested';
  else if (approving >= found.quorum) found.status = 'approved';
  const missing = found.status === 'open' ? found.quorum - approving : 0;
  return { counted: true, approval_id: found.id, status: found.status, missing };
}

/** The changed input of a decision, which its schema and guards allow, or why they do not. */
export type CheckedEdit = { why: string } | { input: Json; fields: string[]; id: string };

/** Why a decision on an open approval would not count, whatever it changes; undefined if it would. */
export function whyIgnored(
  approval: Approval,
  verdict: Verdict,
  decision: Decision,
  proof: Proof = NO_PROOF,
): string | undefined {
  const name = nameIn(decision);
  return (
    reasonToIgnore(approval, verdict, name, decision, proof) ??
    (verdict === 'approve' ? wrongField(approval, decision) : undefined) ??
    whyNoGrant(approval, verdict, decision.grant)?.message ??
    wrongItem(approval, verdict, decision)
  );
}

function nameIn({ by }: Decision): string {
  const given = typeof by === 'string' ? by.trim() : '';
  return personKey(given) === '' ? '' : given;
}

/** What a decision changes in the input; undefined if nothing. Source: docs/approvals.md#correct-then-approve. */
export function editOf({ edit = {}, what }: Approval, { fields = {} }: Decision): JsonObject | undefined {
  const input = isJsonObject(what.input) ? what.input : {};
  const changed = Object.entries(fields).filter(
    ([name, value]) =>
      Object.hasOwn(edit, name) &&
      !(Object.hasOwn(input, name) && canonicalJson(input[name] as Json) === canonicalJson(value)),
  );
  return changed.length > 0 ? Object.fromEntries(changed) : undefined;
}

/** Others approved something else, so their decisions do not count for what is asked now. */
export function applyEdit(
  approval: Approval,
  { input, fields, id }: Extract<CheckedEdit, { input: Json }>,
  by: CountedDecision['by'],
  at: string,
): void {
  const from = { id: approval.id, input: approval.what.input };
  approval.edited = [...(approval.edited ?? []), { by, at, fields, from }];
  for (const { decision, by: earlier } of approval.decisions.splice(0)) {
    const reason = `it was about what was asked before ${nameOf(by) || 'someone'} changed ${fields.join(', ')}`;
    approval.ignored.push({ decision, by: nameOf(earlier) || null, reason: oneLine(reason), at });
  }
  approval.what = { ...approval.what, input };
  approval.id = id;
}

/** The open approval that a decision concerns, if its proof matters: a door's also says to which groups a person belongs. */
export function approvalToProve(
  approvals: readonly Approval[],
  { approval_id, proof }: Decision,
): Approval | undefined {
  const found = findApproval(approvals, approval_id);
  if (typeof found === 'string' || found.status !== 'open') return undefined;
  return found.proof === 'required' || (proof && 'door' in proof) ? found : undefined;
}

/** The open approval whose input a decision changes. */
export function approvalToEdit(approvals: readonly Approval[], decision: Decision): Approval | undefined {
  const found = findApproval(approvals, decision.approval_id);
  return typeof found !== 'string' && found.status === 'open' && editOf(found, decision) ? found : undefined;
}

/** The approval that a decision names, or the only open one; a string says why there is none. */
function findApproval(approvals: readonly Approval[], id: string | undefined): Approval | string {
  if (id !== undefined && id !== '') {
    const named = approvals.filter((approval) => approval.id === id);
    const found = named.find(({ status }) => status === 'open') ?? named.at(-1);
    if (found) return found;
    const changed = approvals.findLast(({ edited = [] }) => edited.some(({ from }) => from.id === id));
    return changed ? `what it asked was changed, and is now ${changed.id}` : `there is no approval ${oneLine(id)}`;
  }
  const open = approvals.filter(({ status }) => status === 'open');
  const [only] = open;
  if (!only) {
    const last = approvals.at(-1);
    return last ? `no approval is open; the last one is ${last.status.replace('_', ' ')}` : 'no approval is open';
  }
  return open.length === 1 ? only : `${open.length} approvals are open, and the decision names none of them`;
}

const NO_PERSON = /^(schedule|webhook):/;

function reasonToIgnore(
  approval: Approval,
  verdict: Verdict,
  name: string,
  { comment, request_changes }: Decision,
  proof: Proof,
): string | undefined {
  const { status, people, groups, approvers, self_approval, decisions } = approval;
  if (status !== 'open') return `the approval is already ${status.replace('_', ' ')}`;
  if (verdict === 'approve' && request_changes) return 'it approves and asks for changes at once';
  const unproved = whyUnproved(approval, proof);
  if (unproved !== undefined) return unproved;
  if (NO_PERSON.test(personKey(name))) return `${name} is no person, and only people decide`;
  if (name === '' && !self_approval) return 'it names no person, and the one who asked may not decide';
  if (approvers.length > 0 && name === '') return `it names no person, and only ${approvers.join(', ')} may decide`;
  const isInGroup = proof.proved && proof.groups?.some((group) => groups.includes(group));
  if (approvers.length > 0 && !people.includes(name) && !isInGroup) {
    return `${name} is not among the approvers (${approvers.join(', ')})`;
  }
  if (isOwn(approval, name) && !self_approval) {
    const did =
      personKey(name) === personKey(approval.requested_by.name) ? 'asked for it' : 'changed what was asked for';
    return `${name} ${did}, and deciding for oneself is not allowed here`;
  }
  if (decisions.some(({ by }) => personKey(nameOf(by)) === personKey(name)))
    return `${name || 'an unnamed person'} has already decided`;
  if (needsComment(approval, verdict) && !comment?.trim()) {
    if (verdict === 'request_changes') return COMMENT_MISSING.request_changes;
    return approval.comment === 'on_deny' ? COMMENT_MISSING.on_deny : COMMENT_MISSING.required;
  }
  return undefined;
}

function whyUnproved({ proof: proofRule, nonces = [] }: Approval, proof: Proof): string | undefined {
  if (!proof.proved) return proofRule === 'required' ? proof.reason : undefined;
  return nonces.includes(proof.nonce) ? 'its proof was used before' : undefined;
}

function wrongField(
  { fields: declared = {}, edit = {} }: Approval,
  { fields: given = {} }: Decision,
): string | undefined {
  for (const [name, field] of Object.entries(declared)) {
    const value = Object.hasOwn(given, name) ? given[name] : undefined;
    if (value === undefined || value === null || value === '') {
      if (!field.optional) return `it needs the field ${name}`;
    } else if (!fits(field, value)) return `the field ${name} must be ${wanted(field)}`;
  }
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(declared, name) && !Object.hasOwn(edit, name));
  return unknown === undefined ? undefined : `there is no field ${unknown}`;
}

function wrongItem({ items = 0 }: Approval, verdict: Verdict, { denied_items: denied }: Decision): string | undefined {
  if (denied === undefined) return undefined;
  if (verdict !== 'approve') return 'it denies all items, and names some of them';
  if (items === 0) return 'it denies items, and what is asked has none';
  const isItem = (value: unknown): boolean =>
    typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= items;
  return Array.isArray(denied) && denied.every(isItem)
    ? undefined
    : `it denies what is no item: they have the numbers 1 to ${items}`;
}

function fits({ type, enum: choices }: ApprovalField, value: Json): boolean {
  if (choices && !choices.some((choice) => choice === value)) return false;
  return type === 'integer' ? Number.isInteger(value) : typeof value === type;
}

function wanted({ type, enum: choices }: ApprovalField): string {
  return choices ? `one of ${choices.join(', ')}` : `of the type ${type}`;
}

function countedDecision(
  approval: Approval,
  verdict: Verdict,
  by: Decider,
  { comment, fields, grant, denied_items }: Decision,
  at: string,
): CountedDecision {
  const { name } = by;
  // Changes of the input are listed apart.
  const filled = Object.entries(fields ?? {}).filter(([field]) => Object.hasOwn(approval.fields ?? {}, field));
  return {
    decision: verdict,
    by: name === '' ? 'unnamed' : by,
    ...(comment?.trim() && { comment: comment.trim() }),
    // A denial fills in nothing, and must not be lost because of invalid fields.
    ...(verdict === 'approve' && filled.length > 0 && { fields: Object.fromEntries(filled) }),
    // Both were checked before.
    ...(grant !== undefined && { grant: grant as Grant }),
    ...(denied_items !== undefined && { denied_items: denied_items as number[] }),
    at,
    self: name !== '' && isOwn(approval, name),
  };
}

/** A proof that is not required is not used, but for a door's, which says to which groups a person belongs. */
function isUsed({ proof: proofRule }: Approval, { subject }: Partial<Admitted>): boolean {
  return proofRule === 'required' || subject !== undefined;
}

function deciderOf(approval: Approval, name: string, proof: Proof): Decider {
  if (!proof.proved || !isUsed(approval, proof)) return { name, source: 'claimed' };
  const { proved: source, issuer, subject } = proof;
  return { name, source, ...(typeof issuer === 'string' && subject !== undefined && { issuer, subject }) };
}

/** Whether a person requested the task, or changed its input before it ran. */
function isOwn({ requested_by, changed_by = [] }: Approval, name: string): boolean {
  return [requested_by.name, ...changed_by].some((own) => personKey(own) === personKey(name));
}

function nameOf(by: CountedDecision['by']): string {
  return by === 'unnamed' ? '' : by.name;
}
