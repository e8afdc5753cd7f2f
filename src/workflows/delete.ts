import { ActivityFailure, ApplicationFailure, proxyActivities, TimeoutFailure } from '@temporalio/workflow';
import type { DeleteRequest, Deletion, TaskToDelete, Tombstone } from '../contracts/deletion.js';
import { ACTIVITIES, ACTIVITY_LIMITS } from '../contracts/names.js';
import type { Problem } from '../contracts/problem.js';
import { reportRun } from './reports/report-run.js';
import { readActivityFailure } from './steps/step-failure.js';

/** What the worker does for it; each may be done again. */
interface Deletes {
  [ACTIVITIES.endTask](request: DeleteRequest): Promise<TaskToDelete>;
  [ACTIVITIES.erase](tombstone: Tombstone): Promise<Pick<Deletion, 'host' | 'record'>>;
  [ACTIVITIES.purge](request: DeleteRequest): Promise<void>;
}

/** Longer than any clean-up: a task that has not ended by then hangs. */
const END_LIMIT = '1h';

const { [ACTIVITIES.endTask]: endTask } = proxyActivities<Deletes>({
  scheduleToCloseTimeout: END_LIMIT,
  startToCloseTimeout: '5m',
  heartbeatTimeout: ACTIVITY_LIMITS.heartbeat,
  retry: { maximumInterval: '5s' },
});
const { [ACTIVITIES.erase]: erase } = proxyActivities<Deletes>({
  scheduleToCloseTimeout: '10m',
  startToCloseTimeout: '1m',
  heartbeatTimeout: ACTIVITY_LIMITS.heartbeat,
  retry: { maximumInterval: '5s' },
});
/** A server takes half a minute, and more, from the order to delete a history until it is gone. */
const { [ACTIVITIES.purge]: purge } = proxyActivities<Deletes>({
  scheduleToCloseTimeout: '30m',
  startToCloseTimeout: '10m',
  heartbeatTimeout: ACTIVITY_LIMITS.heartbeat,
  retry: { maximumInterval: '5s' },
});

/**
 * Deletes a task: ends it, puts a tombstone in the place of its record, and where that was asked for deletes its
 * history. Goes on whoever dies meanwhile. Source: R-000-85, C-37; docs/architecture.md#the-way-of-a-task.
 */
export async function deleteTask(request: DeleteRequest): Promise<Deletion> {
  reportRun();
  try {
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
    // What is gone from Temporal cannot be told there any more, so the tombstone comes first.
    const erased = await erase(tombstone);
    return request.purge ? await purgeToo(request, { ...tombstone, ...erased }) : { ...tombstone, ...erased };
  } catch (error) {
    throw failureOf(request, error);
  }
}

/** The task is deleted already; that its history is still there is told, and it can be tried again. */
async function purgeToo(request: DeleteRequest, deletion: Deletion): Promise<Deletion> {
  try {
    await purge(request);
  } catch (error) {
    return { ...deletion, problem: problemOf(request, error) };
  }
  const { host: _, record: __, ...tombstone } = deletion;
  await erase({ ...tombstone, purged: true });
  return { ...deletion, purged: true };
}

function failureOf(request: DeleteRequest, error: unknown): unknown {
  if (!(error instanceof ActivityFailure)) return error;
  const problem = problemOf(request, error);
  const { code: type, message } = problem;
  return ApplicationFailure.create({ type, message, nonRetryable: true, details: [problem] });
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
      suggestion: `Look what it waits for, \`ability why ${key}\`, terminate it in the Temporal UI, and delete it again.`,
    };
  }
  const reason = cause instanceof TimeoutFailure && cause.cause ? cause.cause : cause;
  const message = `${key} could not be deleted: ${reason instanceof Error ? reason.message : String(reason)}`;
  return { code: 'task.delete_failed', message, suggestion: 'Delete it again; it goes on where it stopped.' };
}
