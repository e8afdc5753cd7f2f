/** What one yes allows beyond its call. Source: docs/approvals.md#one-yes-for-what-is-alike. */
import type { Approval, Grant, Verdict } from '../../contracts/approvals.js';
import type { GrantedCall, GrantStart } from '../../contracts/grants.js';
import { isJsonObject, type JsonObject } from '../../contracts/json.js';
import { AbilityError, type Problem } from '../../contracts/problem.js';
import { formatDuration } from '../duration.js';
import { evaluateCondition } from '../expressions/condition.js';
import { compileExpression } from '../expressions/evaluate.js';
import { oneLine } from '../shown-text.js';

/** Of calls: Temporal takes 2000 updates of a workflow. */
export const MAX_USES = 1000;
export const MAX_CONDITION = 1000;
const DAY_MS = 86_400_000;
export const MAX_GRANT_MS = 7 * DAY_MS;

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

function whyNotCondition(condition: string): Problem | undefined {
  try {
    const { references, functions } = compileExpression(condition);
    const other = references.find(({ name }) => name !== 'input')?.name ?? functions.find((name) => CHANGING.has(name));
    return other === undefined
      ? undefined
      : refused(`\`if\` of its grant reads ${other}, and it can only read the input of a call`);
  } catch (error) {
    if (error instanceof AbilityError) return error.toProblem();
    throw error;
  }
}

/** Functions that are no function of the input. */
const CHANGING: ReadonlySet<string> = new Set(['now', 'uuid']);

function isWhole(value: unknown, from: number, to: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= from && value <= to;
}

function refused(message: string): Problem {
  return { code: 'grant.refused', message };
}

/**
 * What the approving people grant together: the least of each, under all conditions. @returns undefined if one of them
 * grants nothing, or no one decided. `ms`: how long it holds, from now.
 */
export function grantOf({
  decisions,
}: Pick<Approval, 'decisions'>): (Pick<GrantStart, 'for' | 'if' | 'up_to'> & { ms: number }) | undefined {
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

/** Whether a call is one that was granted: an error of a condition, or no boolean, is a no. */
export function isGranted(
  { reasons: seen, if: conditions }: Pick<GrantStart, 'reasons' | 'if'>,
  { reasons, input }: Pick<GrantedCall, 'reasons'> & { input: JsonObject },
): boolean {
  try {
    return (
      reasons.every((reason) => seen.includes(reason)) &&
      conditions.every((condition) => evaluateCondition(condition, { input }))
    );
  } catch (error) {
    if (error instanceof AbilityError) return false;
    throw error;
  }
}
