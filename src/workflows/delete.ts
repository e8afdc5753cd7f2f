import type { Duration } from '@temporalio/common';
import { ActivityFailure, proxyActivities, setWorkflowOptions, TimeoutFailure } from '@temporalio/workflow';
import type { DeleteRequest, Deletion, TaskToDelete, Tombstone } from '../contracts/deletion.js';
import { ACTIVITIES, ACTIVITY_LIMITS } from '../contracts/names.js';
import type { Problem } from '../contracts/problem.js';
import { OF_ANY_BUILD } from './of-any-build.js';
import { personOf, report } from './reports/report-audit.js';
import { reportRun } from './reports/report-run.js';
import { asApplicationFailure, readActivityFailure } from './steps/step-failure.js';

/** The activities; each may be repeated. */
interface Deletes {
  [ACTIVITIES.endTask](request: DeleteRequest): Promise<TaskToDelete>;
  [ACTIVITIES.erase](tombstone: Tombstone): Promise<Pick<Deletion, 'host' | 'record'>>;
  [ACTIVITIES.purge](request: DeleteRequest): Promise<void>;
}

/** Longer than any clean-up: a task that has not ended by then hangs. */
const END_LIMIT = '1h';

const within = (scheduleToCloseTimeout: Duration, startToCloseTimeout: Duration) =>
  proxyActivities<Deletes>({
    scheduleToCloseTimeout,
    startToCloseTimeout,
    heartbeatTimeout: ACTIVITY_LIMITS.heartbeat,
    retry: { maximumInterval: '5s' },
  });
const { [ACTIVITIES.endTask]: endTask } = within(END_LIMIT, '5m');
const { [ACTIVITIES.erase]: erase } = within('10m', '1m');
/** After the request, a server may take half a minute or more to delete a history. */
const { [ACTIVITIES.purge]: purge } = within('30m', '10m');

/** Survives the end of any process. Source: R-000-85, C-37; docs/architecture.md#the-way-of-a-task. */
export async function deleteTask(request: DeleteRequest): Promise<Deletion | null> {
  reportRun();
  try {
    if (request.refused) return await purgeRefused(request);
    const { deleted, ...task } = await endTask(request);
    const { key: task_key, by: deleted_by } = request;
    const now = new Date().toISOString();
    const tombstone: Tombstone = deleted ?? {
      format: 1,
      task_key,
      ...task,
      deleted_at: now,
      deleted_by,
      purged: false,
    };
    // The tombstone comes first: it is made from Temporal's data, which is deleted next.
    const erased = await erase(tombstone);
    if (!deleted) audit('deleted', tombstone);
    return request.purge ? await purgeToo(request, { ...tombstone, ...erased }) : { ...tombstone, ...erased };
  } catch (error) {
    throw error instanceof ActivityFailure ? asApplicationFailure(problemOf(request, error)) : error;
  }
}
setWorkflowOptions(OF_ANY_BUILD, deleteTask);

/** Only reports a history that could not be purged: the task itself is deleted, and a purge can be repeated. */
async function purgeToo(request: DeleteRequest, deletion: Deletion): Promise<Deletion> {
  try {
    await purge(request);
  } catch (error) {
    return { ...deletion, problem: problemOf(request, error) };
  }
  const { host: _, record: __, ...tombstone } = deletion;
  await erase({ ...tombstone, purged: true });
  audit('purged', { ...tombstone, deleted_by: request.by });
  return { ...deletion, purged: true };
}

async function purgeRefused(request: DeleteRequest): Promise<null> {
  await purge(request);
  report({ kind: 'purged', task: request.key, ...personOf(request.by) });
  return null;
}

/** The lines about the task stay: they have digests of what was purged. */
function audit(kind: 'deleted' | 'purged', { task_key, ability_id: ability, deleted_by, input }: Tombstone): void {
  report({ kind, task: task_key, ability, ...personOf(deleted_by), input: input ?? undefined });
}

function problemOf({ key }: DeleteRequest, error: unknown): Problem {
  const end = readActivityFailure(error);
  if (end.kind === 'problem' && end.problem.code !== 'internal.error') return end.problem;
  const isEndless = error instanceof ActivityFailure && error.activityType === ACTIVITIES.endTask;
  const cause = error instanceof ActivityFailure ? error.cause : error;
  if (isEndless && cause instanceof TimeoutFailure) {
    return {
      code: 'task.delete_failed',
      message: `${key} was asked to stop and has not ended within ${END_LIMIT}; nothing of it was deleted`,
      suggestion: `See what it waits for, \`ability why ${key}\`, terminate it in the Temporal UI, and delete it again.`,
    };
  }
  const reason = cause instanceof TimeoutFailure && cause.cause ? cause.cause : cause;
  const message = `${key} could not be deleted: ${reason instanceof Error ? reason.message : String(reason)}`;
  return { code: 'task.delete_failed', message, suggestion: 'Delete it again; it goes on where it stopped.' };
}
