/** The forms of decisions, apart from their checks: commands that only show what comes next load no expressions. */
import type { Approval, Decision, Grant, ProvedDecision, Verdict } from '../../contracts/approvals.js';
import type { GrantStart } from '../../contracts/grants.js';
import { isJsonObject } from '../../contracts/json.js';
import { formatDuration } from '../duration.js';
import { oneLine } from '../shown-text.js';

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

/** Of calls: Temporal takes 2000 updates of a workflow. */
export const MAX_USES = 1000;
export const MAX_CONDITION = 1000;
const DAY_MS = 86_400_000;
export const MAX_GRANT_MS = 7 * DAY_MS;

export const GRANT_FORM = `{for: task or session, up_to: 2 to ${MAX_USES} calls, if: up to ${MAX_CONDITION} characters, for_ms: up to 7 days}`;

export function isGrant(value: unknown): value is Grant {
  if (!isJsonObject(value)) return false;
  const { for: whom, up_to, if: condition = '', for_ms = 1, ...more } = value;
  const isOneOf = whom === 'task' || whom === 'session';
  const isText = typeof condition === 'string' && condition.length <= MAX_CONDITION;
  return (
    isOneOf &&
    isText &&
    isWhole(up_to, 2, MAX_USES) &&
    isWhole(for_ms, 1, MAX_GRANT_MS) &&
    Object.keys(more).length === 0
  );
}

function isWhole(value: unknown, from: number, to: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= from && value <= to;
}

/** `ms`: how long it holds, from now. */
export type GrantedByPeople = Pick<GrantStart, 'for' | 'if' | 'up_to'> & { ms: number };

/**
 * What the approving people grant together: the least of each, under all conditions. @returns undefined if one of them
 * grants nothing, or no one decided, since a grant did.
 */
export function grantOf({ decisions, granted }: Pick<Approval, 'decisions' | 'granted'>): GrantedByPeople | undefined {
  if (granted) return undefined;
  const grants = decisions.flatMap(({ grant }) => grant ?? []);
  if (grants.length === 0 || grants.length < decisions.length) return undefined;
  return {
    for: grants.some((grant) => grant.for === 'task') ? 'task' : 'session',
    if: [...new Set(grants.flatMap((grant) => grant.if ?? []))],
    up_to: Math.min(...grants.map(({ up_to }) => up_to)),
    ms: Math.min(...grants.map(({ for_ms }) => for_ms ?? DAY_MS)),
  };
}

/** A grant in words, for people. */
export function describeGrant({ for: whom, up_to, if: condition, for_ms = DAY_MS }: Grant): string {
  const only = condition === undefined ? '' : ` whose input meets ${oneLine(condition)}`;
  return `up to ${up_to} such calls of the ${whom}${only}, for ${formatDuration(for_ms)}`;
}

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
