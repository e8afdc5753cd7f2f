// Apart from the other rules of decisions, which commands that only show what comes next do not load.
import type { Approval, Verdict } from '../../contracts/approvals.js';

/** Why a decision is ignored for its missing comment, by what requires the comment. */
export const COMMENT_MISSING = {
  on_deny: 'a denial needs a comment',
  required: 'it needs a comment',
  request_changes: 'it asks for changes, and a comment must say which',
} as const;

/** Whether a decision needs a comment to count. Source: docs/approvals.md#deciding. */
export function needsComment({ comment }: Pick<Approval, 'comment'>, verdict: Verdict): boolean {
  if (verdict === 'request_changes') return true;
  return comment === 'required' || (comment === 'on_deny' && verdict === 'deny');
}
