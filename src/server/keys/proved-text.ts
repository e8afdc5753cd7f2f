import type { ProvedDecision } from '../../contracts/approvals.js';
import { canonicalJson, digestOf } from '../../rules/canonical.js';

/**
 * What is signed to prove a decision: what it is about, what it says, who says it, and a nonce.
 *
 * The moment at which the approval was raised names the run of the task: an id comes again in a task of the same key. A token
 * that proves it is named as well, so that no proof of one kind is taken for one of the other.
 */
export function provedText(
  { approval_id, raised_at, verdict, by, comment, fields }: ProvedDecision,
  nonce: string,
  token?: string,
): string {
  const said = digestOf({ comment, fields });
  return canonicalJson({
    format: 1,
    approval_id,
    raised_at,
    verdict,
    by,
    said,
    nonce,
    ...(token !== undefined && { token }),
  });
}
