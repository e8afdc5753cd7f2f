import type { Approval } from '../../contracts/approvals.js';
import { AbilityError } from '../../contracts/problem.js';
import { digestOf } from '../../rules/canonical.js';
import { generalPath } from '../../rules/steps/turn-paths.js';
import { findDifferences, type ValueDifference } from '../../text/value-differences.js';
import type { Connection } from '../connection/connect.js';
import { listTasks } from '../list/list-tasks.js';
import { viewOwnTask, viewTask } from '../view/view-task.js';

/** An approval with what identifies it. */
export interface ShownApproval extends Approval {
  /** The task that asks, and is to be decided on; it may be a called task. */
  task_key: string;
  /** The ability of that task. */
  task_ability: string;
  /** Digest of the sealed plan that this task runs; that of a called task is part of the plan of the first that called. */
  plan_digest: string;
  /** As `whatDigestOf` gives it. */
  what_digest: string;
}

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

/** How many tasks are queried at once. */
const ASKED_AT_ONCE = 50;
/** How many tasks are searched for one that was approved before. */
const MAX_LOOKED_AT = 10;

/**
 * The open requests of one task, and of the tasks it has called.
 *
 * @throws AbilityError `task.not_found`, `task.other_project`.
 */
export async function readApprovals(connection: Connection, key: string): Promise<ShownApproval[]> {
  const { result } = await viewOwnTask(connection, key);
  const open = result.approvals.filter(({ status }) => status === 'open');
  const called = [...new Set(open.flatMap(({ task }) => task ?? []))];
  // Which ability asks, and under which plan, only the task that asks knows.
  const inner = await inTurns(called, (task) => readApprovals(connection, task).catch(unlessGone));
  const own = open
    .filter(({ task }) => task === undefined)
    .map((approval) => ({
      ...approval,
      task_key: key,
      task_ability: result.ability_id,
      plan_digest: result.digest,
      what_digest: whatDigestOf(approval),
    }));
  const known = new Set(open.map(({ id, task }) => `${task} ${id}`));
  const shown = inner.flat().filter(({ id, task_key }) => known.has(`${task_key} ${id}`));
  return [...own, ...shown.map((approval) => ({ ...approval, task: approval.task_key }))];
}

/** The open requests of a project's tasks; in all its environments unless one is named. */
export async function listApprovals(connection: Connection, environment?: string): Promise<ShownApproval[]> {
  const limit = Number.POSITIVE_INFINITY;
  const filter = { called: true, status: ['waiting_approval' as const], environment, limit };
  const waiting = await listTasks(connection, filter);
  const open = await inTurns(waiting, ({ task_key }) => readApprovals(connection, task_key).catch(unlessGone));
  // A task that is called is listed itself, and its approvals are also those of its caller.
  const seen = new Set<string>();
  return open.flat().filter(({ id, task_key }) => {
    const name = `${task_key} ${id}`;
    return !seen.has(name) && seen.add(name);
  });
}

async function inTurns<T, U>(items: readonly T[], ask: (item: T) => Promise<U>): Promise<U[]> {
  const answers: U[] = [];
  for (let start = 0; start < items.length; start += ASKED_AT_ONCE) {
    answers.push(...(await Promise.all(items.slice(start, start + ASKED_AT_ONCE).map(ask))));
  }
  return answers;
}

/** The list is older than the question. */
function unlessGone(error: unknown): ShownApproval[] {
  if (error instanceof AbilityError && (error.code === 'task.not_found' || error.code === 'task.deleted')) return [];
  throw error;
}

/** The last approval of the same ability at the same step in the same environment that was given, among recent tasks. */
export async function findLastApproved(connection: Connection, now: ShownApproval): Promise<LastApproved | null> {
  const { task_ability: ability, what } = now;
  const filter = { ability, environment: what.environment, called: true, limit: MAX_LOOKED_AT + 1 };
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

/** Identifies the subject of an approval, for any task and step: ability, implementation, environment, effects and input. 64 hex digits. */
function whatDigestOf({ what }: Pick<Approval, 'what'>): string {
  const { ability, implementation, environment, effects, input } = what;
  return digestOf({ ability, implementation, environment, effects, input });
}
