import type { Approval } from '../../contracts/approvals.js';
import { AbilityError } from '../../contracts/problem.js';
import { digestOf } from '../../rules/canonical.js';
import { type LastApproved, lastApprovedAmong } from '../../rules/tasks/shown-approvals.js';
import type { Connection } from '../connection/connect.js';
import { type ListFilter, listTasks } from '../list/list-tasks.js';
import { viewOwnTask, viewTask } from '../view/view-task.js';

/** An approval with its task and digests. */
export interface ShownApproval extends Approval {
  /** The task to decide on; it may be a called one. */
  task_key: string;
  task_ability: string;
  /** Digest of the sealed plan of this task; a called task has a part of its first caller's plan. */
  plan_digest: string;
  /** Digest of the subject: ability, implementation, environment, effects and input. */
  what_digest: string;
}

const MAX_READS_AT_ONCE = 50;
/** The maximum number of recent tasks to search. */
const MAX_LOOKED_AT = 10;

/** Includes approvals of called tasks. @throws AbilityError `task.not_found`, `task.other_project`. */
export async function readApprovals(connection: Connection, key: string): Promise<ShownApproval[]> {
  const { result } = await viewOwnTask(connection, key);
  const open = result.approvals.filter(({ status }) => status === 'open');
  const called = [...new Set(open.flatMap(({ task }) => task ?? []))];
  // Only the called task knows its ability and its plan.
  const inner = await inTurns(called, (task) => readApprovals(connection, task).catch(unlessMissing));
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

/** The open approvals of all tasks. @param which waiting tasks are read. @param signal ends the reading, with its reason. */
export async function listApprovals(
  connection: Connection,
  which: Pick<ListFilter, 'environment' | 'within'> & { limit?: number | undefined } = {},
  signal?: AbortSignal,
): Promise<ShownApproval[]> {
  const { limit = Number.POSITIVE_INFINITY, ...where } = which;
  const filter = { ...where, called: true, status: ['waiting_approval' as const], limit };
  const waiting = await listTasks(connection, filter);
  const open = await inTurns(
    waiting,
    ({ task_key }) => readApprovals(connection, task_key).catch(unlessMissing),
    signal,
  );
  // An approval of a called task appears in that task and in its caller.
  const seen = new Set<string>();
  return open.flat().filter(({ id, task_key }) => {
    const name = `${task_key} ${id}`;
    return !seen.has(name) && seen.add(name);
  });
}

async function inTurns<T, U>(items: readonly T[], ask: (item: T) => Promise<U>, signal?: AbortSignal): Promise<U[]> {
  const answers: U[] = [];
  for (let start = 0; start < items.length; start += MAX_READS_AT_ONCE) {
    signal?.throwIfAborted();
    answers.push(...(await Promise.all(items.slice(start, start + MAX_READS_AT_ONCE).map(ask))));
  }
  return answers;
}

/** No approvals if the task was deleted after the list was read. */
export function unlessMissing(error: unknown): never[] {
  if (error instanceof AbilityError && (error.code === 'task.not_found' || error.code === 'task.deleted')) return [];
  throw error;
}

/** The last granted approval of the same ability, step and environment, among recent tasks. */
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
  return lastApprovedAmong(seen.flat(), now);
}

/** Digest of the subject of an approval, independent of task and step. 64 hex digits. */
function whatDigestOf({ what }: Pick<Approval, 'what'>): string {
  const { ability, implementation, environment, effects, input, undo } = what;
  return digestOf({ ability, implementation, environment, effects, input, ...(undo && { undo }) });
}
