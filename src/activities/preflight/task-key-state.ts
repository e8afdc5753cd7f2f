import { AbilityError } from '../../contracts/problem.js';
import type { TaskRecord } from '../../contracts/record.js';
import type { TaskMemo, TaskRequest } from '../../contracts/task.js';
import { hasTools, planDigest } from '../../rules/plans/plan-digest.js';
import { isWantedPlan } from '../../rules/plans/wanted-plan.js';
import { keyOfOther } from '../../rules/tasks/other-project.js';
import { beingDeleted, taskDeleted } from '../../rules/tasks/task-deleted.js';
import type { ActivityDependencies } from '../dependencies.js';

export type KeyDependencies = Pick<ActivityDependencies, 'project' | 'records' | 'findTask' | 'findDeletion'>;

/** After this time, a record without a task frees its key: the caller died before the start. */
const ABANDONED_MS = 60_000;

/** State of a key: `abandoned` by a caller that died, `held` by the same task, or `ended` with it. */
export type KeyState = 'free' | 'abandoned' | 'held' | 'ended';

/**
 * Whether a key is free, or already of a task with the same request. @throws AbilityError `task.key_conflict`,
 * `task.other_project`, `task.deleted`. Source: docs/architecture.md#what-lives-where-in-temporal.
 */
export async function stateOfKey(
  request: TaskRequest,
  input: string,
  { project, records, findTask, findDeletion }: KeyDependencies,
): Promise<KeyState> {
  if (request.direct) return 'free';
  const tombstone = records.readTombstone(request.task);
  if (tombstone) throw taskDeleted(tombstone);
  const here = records.read(request.task);
  // Such keys are ULIDs made by the client: no other request has the same one.
  const isGenerated = /^t-[0-9a-hjkmnp-tv-z]{26}$/.test(request.task);
  if (!here && isGenerated) return 'free';
  const [found, deleted] = await Promise.all([findTask(request.task), findDeletion(request.task)]);
  for (const holder of [found, deleted]) {
    if (holder === undefined || holder === 'foreign' || holder.project === project) continue;
    throw keyOfOther(request.task, holder.project, project);
  }
  if (deleted) throw deleted.deletion === 'under way' ? beingDeleted(request.task) : taskDeleted(deleted.deletion);
  if (found === 'foreign') throw keyConflict(request, 'a workflow that is no task');
  const task = found?.memo;
  // Another machine may still know a task that Temporal has forgotten.
  const record = here ?? (task ? undefined : await records.find(request.task));
  const held = task ?? record?.request;
  if (!held) return 'free';
  if (held.ability === request.ability && held.environment === request.environment && held.input === input) {
    // Without a task or a result, a record binds its key to no plan.
    const plans = task ?? (record?.result ? plansOf(record) : undefined);
    if (plans && !isWantedPlan(request.plan, plans)) throw keyConflict(request, 'the same with another plan');
    if (task) return 'held';
    // Temporal has forgotten it; its effects must not be repeated.
    return record?.result ? 'ended' : 'abandoned';
  }
  if (!task && record && !record.result && Date.now() - Date.parse(record.created_at) > ABANDONED_MS) {
    return 'abandoned';
  }
  throw keyConflict(request, `${held.ability} in ${held.environment} with another input`, held);
}

function plansOf({ plan, plan_digest }: TaskRecord): { plan: string; unpinned?: string } {
  return { plan: plan_digest, ...(hasTools(plan) && { unpinned: planDigest(plan) }) };
}

/** The error for a key with another owner. @param held the owner, if known. */
export function keyConflict(
  request: TaskRequest,
  what: string,
  held?: Pick<TaskMemo, 'ability' | 'environment'>,
): AbilityError {
  const differs =
    held && (held.ability !== request.ability || held.environment !== request.environment)
      ? `${held.ability} in ${held.environment}`
      : what;
  return new AbilityError({
    code: 'task.key_conflict',
    message: `The key ${request.task} already belongs to ${differs}`,
    suggestion: `Choose another key; \`ability task show ${request.task}\` shows what holds this one.`,
  });
}
