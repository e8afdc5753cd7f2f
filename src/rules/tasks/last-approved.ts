import type { Approval } from '../../contracts/approvals.js';
import { findDifferences, type ValueDifference } from '../../text/value-differences.js';
import { generalPath } from '../steps/turn-paths.js';

/** The last granted approval of this kind, and what has changed since. */
export interface LastApproved {
  task_key: string;
  approval_id: string;
  /** ISO 8601. */
  at: string;
  by: string[];
  what: Approval['what'];
  differs: ValueDifference[];
}

/** An approval with the task that shows it. */
export interface SeenApproval {
  task_key: string;
  approval: Approval;
}

/** The last granted one of the same ability and step. @param seen of tasks of one environment. */
export function lastApprovedAmong(seen: readonly SeenApproval[], now: Approval): LastApproved | null {
  const alike = seen
    .filter(({ approval }) => approval.status === 'approved' && isOfSameKind(approval, now))
    .map((found) => ({ ...found, at: found.approval.decisions.at(-1)?.at ?? '' }))
    .sort((one, other) => other.at.localeCompare(one.at));
  const [last] = alike;
  if (!last) return null;
  const { task_key, approval, at } = last;
  return {
    task_key,
    approval_id: approval.id,
    at,
    by: approval.decisions.map(({ by }) => (by === 'unnamed' ? by : by.name)),
    what: approval.what,
    differs: findDifferences('what', { ...approval.what }, { ...now.what }),
  };
}

function isOfSameKind(one: Approval, other: Approval): boolean {
  return one.what.ability === other.what.ability && generalPath(one.path) === generalPath(other.path);
}
