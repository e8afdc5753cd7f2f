import type { Approval, Decision, Grant, ProvedDecision, Verdict } from '../../contracts/approvals.js';

/** What a proof is about: the decision on one instance of an approval. */
export function provedDecision(
  { id: approval_id, raised_at, what: { ability, environment } }: Approval,
  verdict: Verdict,
  { by = '', comment, fields, grant, denied_items: denied }: Decision,
): ProvedDecision {
  const said = { by, comment: comment ?? null, fields: fields ?? null };
  // Both may have any form, which the proof covers as well.
  const more = { grant: (grant ?? null) as Grant | null, denied_items: (denied ?? null) as number[] | null };
  return { what: { ability, environment }, approval_id, raised_at, verdict, ...said, ...more };
}
