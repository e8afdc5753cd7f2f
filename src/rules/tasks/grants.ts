/** What one yes allows beyond its call. Source: docs/approvals.md#one-yes-for-what-is-alike. */
import type { Approval, Verdict } from '../../contracts/approvals.js';
import type { GrantedCall, GrantStart } from '../../contracts/grants.js';
import type { JsonObject } from '../../contracts/json.js';
import type { Problem } from '../../contracts/problem.js';
import { unlessRefused } from '../../text/attempt.js';
import { compileExpression, evaluateCondition } from '../expressions/evaluate.js';
import { GRANT_FORM, isGrant } from './decision-form.js';

type AskedFor = Pick<Approval, 'grants' | 'escalated_at'>;

/** Why a decision with this grant does not count; undefined if it does. */
export function whyNoGrant({ grants, escalated_at }: AskedFor, verdict: Verdict, grant: unknown): Problem | undefined {
  if (grant === undefined) return undefined;
  if (verdict !== 'approve') return refused('a denial grants nothing');
  if (!isGrant(grant)) return refused(`its grant is not of the form ${GRANT_FORM}`);
  if (!grants)
    return refused('a grant comes only of the approval of a call, where `grants` of the environment allows it');
  if (!grants.includes(grant.for))
    return refused('the task belongs to no session, so that none can be granted anything');
  if (escalated_at !== undefined) return refused('others decide since no one had, and on this call alone');
  return grant.if === undefined ? undefined : whyNotCondition(grant.if);
}

function whyNotCondition(condition: string): Problem | undefined {
  return unlessRefused(
    () => {
      const { references, functions } = compileExpression(condition);
      const other =
        references.find(({ name }) => name !== 'input')?.name ?? functions.find((name) => CHANGING.has(name));
      return other === undefined
        ? undefined
        : refused(`\`if\` of its grant reads ${other}, and it can only read the input of a call`);
    },
    (error) => error.toProblem(),
  );
}

/** Functions that are no function of the input. */
const CHANGING: ReadonlySet<string> = new Set(['now', 'uuid']);

function refused(message: string): Problem {
  return { code: 'grant.refused', message };
}

/** Whether a call is one that was granted: an error of a condition, or no boolean, is a no. */
export function isGranted(
  { reasons: seen, if: conditions }: Pick<GrantStart, 'reasons' | 'if'>,
  { reasons, input }: Pick<GrantedCall, 'reasons'> & { input: JsonObject },
): boolean {
  const isSeen = reasons.every((reason) => seen.includes(reason));
  return unlessRefused(
    () => isSeen && conditions.every((condition) => evaluateCondition(condition, { input })),
    () => false,
  );
}
