import { AbilityError } from '../../contracts/problem.js';
import type { TaskRecord } from '../../contracts/record.js';
import type { TaskResult, WantedPlan } from '../../contracts/task.js';
import { hasTools, isWantedPlan, planDigest } from '../../rules/plans/plan-digest.js';
import { isDirect } from '../../rules/tasks/task-ids.js';
import { keyOfDeleted, taskDeleted } from '../../rules/tasks/task-refusals.js';
import type { ActivityDependencies } from '../dependencies.js';

export type KeyDependencies = Pick<ActivityDependencies, 'project' | 'records' | 'findDeletion' | 'findEarlier'>;

/** The request that wants a key. */
export interface KeyRequest {
  task: string;
  /** Run id of the first run of its execution. */
  first: string;
  /** Whether its client did not refuse a key that an ended task holds. */
  outside: boolean;
  /** Whether its client found that nothing of the last task under the key ran. */
  again: boolean;
  ability: string;
  environment: string;
  /** Digest of the input, with defaults. */
  input: string;
  plan: WantedPlan | undefined;
}

/** State of a key: free, its own by an attempt that was lost, or that of an ended task with the same request. */
export type KeyState = 'free' | 'own' | { ended: TaskResult };

/** ULIDs that our clients make: no other request of theirs has the same one. */
const GENERATED = /^t-[0-9a-hjkmnp-tv-z]{26}$/;

/**
 * Temporal lets only one execution of an id be open, and our clients start none under the id of an ended one. What is
 * left to find are tasks that Temporal has forgotten, and those of starts from outside. @throws AbilityError
 * `task.key_conflict`, `task.other_project`, `task.deleted`. Source: docs/start-from-temporal.md#keys.
 */
export async function stateOfKey(request: KeyRequest, dependencies: KeyDependencies): Promise<KeyState> {
  const { task } = request;
  if (isDirect(task)) return 'free';
  const { project, records, findDeletion } = dependencies;
  const tombstone = records.readTombstone(task);
  if (tombstone) throw taskDeleted(tombstone);
  const here = records.read(task);
  if (here?.run_id === request.first) return 'own';
  if (!here && !request.outside && GENERATED.test(task)) return 'free';
  const deleted = await findDeletion(task);
  if (deleted) throw keyOfDeleted(task, deleted, project);
  const record = here ?? (await records.find(task));
  if (record) return stateOfRecord(request, record);
  const earlier = request.outside ? await dependencies.findEarlier(task, request.first) : undefined;
  if (earlier !== undefined)
    throw keyConflict(request, `a task that has ended (${earlier}), and whose record is elsewhere`);
  return 'free';
}

function stateOfRecord(request: KeyRequest, { request: held, result, plan, plan_digest }: TaskRecord): KeyState {
  const isSame =
    held.ability === request.ability && held.environment === request.environment && held.input === request.input;
  if (!isSame) throw keyConflict(request, `${held.ability} in ${held.environment} with another input`, held);
  const plans = { plan: plan_digest, ...(hasTools(plan) && { unpinned: planDigest(plan) }) };
  if (!isWantedPlan(request.plan, plans)) throw keyConflict(request, 'the same with another plan');
  // Its client refused it before it ran.
  if (request.again && result?.status === 'cancelled' && result.started_at === null) return 'own';
  if (result) return { ended: result };
  throw keyConflict(request, 'the same request, and how it ended is not in its record');
}

/** The error for a key with another owner. @param held the owner, if known. */
export function keyConflict(
  request: Pick<KeyRequest, 'task' | 'ability' | 'environment'>,
  what: string,
  held?: Pick<KeyRequest, 'ability' | 'environment'>,
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
