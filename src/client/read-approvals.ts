import type { Approval } from '../contracts/approvals.js';
import { AbilityError } from '../contracts/problem.js';
import { generalPath } from '../rules/turn-paths.js';
import { findDifferences, type ValueDifference } from '../rules/value-differences.js';
import { whatDigestOf } from '../rules/what-digest.js';
import type { Connection } from './connect.js';
import { listTasks } from './list-tasks.js';
import { viewOwnTask, viewTask } from './view-task.js';

/** An approval with what tells it apart from others, or makes it the same. */
export interface ShownApproval extends Approval {
  /** The task to decide on. */
  task_key: string;
  /** The ability of that task. */
  task_ability: string;
  /** Digest of the plan that the task runs. */
  plan_digest: string;
  /** As `whatDigestOf` gives it. */
  what_digest: string;
}

/** The approval of this kind that was given last, and what is different now. */
export interface LastApproved {
  task_key: string;
  approval_id: string;
  /** ISO 8601. */
  at: string;
  by: string[];
  what: Approval['what'];
  differs: ValueDifference[];
}

const MOST_TASKS = 200;
/** So many tasks are looked at for one that was approved before. */
const MOST_LOOKED_AT = 10;

/**
 * What one task waits for.
 *
 * @throws AbilityError `task.not_found`, `task.other_project`.
 */
export async function readApprovals(connection: Connection, key: string): Promise<ShownApproval[]> {
  const { result } = await viewOwnTask(connection, key);
  return result.approvals
    .filter(({ status }) => status === 'open')
    .map((approval) => ({
      ...approval,
      task_key: key,
      task_ability: result.ability_id,
      plan_digest: result.digest,
      what_digest: whatDigestOf(approval),
    }));
}

/** What the tasks of a project wait for; of all its environments where none is named. */
export async function listApprovals(connection: Connection, environment?: string): Promise<ShownApproval[]> {
  const filter = { called: true, status: ['waiting_approval' as const], environment, limit: MOST_TASKS };
  const waiting = await listTasks(connection, filter);
  const open = await Promise.all(waiting.map(({ task_key }) => readApprovals(connection, task_key).catch(unlessGone)));
  // A task that is called is listed itself, and its approvals are also those of its caller.
  const seen = new Set<string>();
  return open.flat().filter(({ id, task, task_key }) => {
    const name = `${task ?? task_key} ${id}`;
    return !seen.has(name) && seen.add(name);
  });
}

/** The list is older than the question. */
function unlessGone(error: unknown): ShownApproval[] {
  if (error instanceof AbilityError && (error.code === 'task.not_found' || error.code === 'task.deleted')) return [];
  throw error;
}

/** The last approval of the same ability at the same step in the same environment that was given, among recent tasks. */
export async function findLastApproved(connection: Connection, now: ShownApproval): Promise<LastApproved | null> {
  const { task_ability: ability, what } = now;
  const filter = { ability, environment: what.environment, called: true, limit: MOST_LOOKED_AT + 1 };
  const others = (await listTasks(connection, filter)).filter(({ task_key }) => task_key !== now.task_key);
  const seen = await Promise.all(
    others.map(async ({ task_key }) => {
      const view = await viewTask(connection, task_key).catch(() => undefined);
      return (view?.result.approvals ?? []).map((approval) => ({ task_key, approval }));
    }),
  );
  const alike = seen
    .flat()
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
    differs: findDifferences('what', { ...approval.what }, { ...what }),
  };
}

function isOfSameKind(one: Approval, other: Approval): boolean {
  return one.what.ability === other.what.ability && generalPath(one.path) === generalPath(other.path);
}
