import { randomUUID } from 'node:crypto';
import {
  isGrpcServiceError,
  ServiceError,
  type WorkflowHandle,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
  WorkflowUpdateRPCTimeoutOrCancelledError,
} from '@temporalio/client';
import { ENDED_BEFORE_ANSWER, UPDATES } from '../../contracts/names.js';
import { AbilityError, usageError } from '../../contracts/problem.js';
import type { EditAnswer, InputEdit } from '../../contracts/task.js';
import { isTaskId } from '../../rules/tasks/task-ids.js';
import type { Connection } from '../connection/connect.js';
import { refuseUnserved } from '../connection/find-workers.js';
import { asking, isUnknownWorkflow, problemIn, taskNotFound } from '../connection/temporal-errors.js';
import { type OwnTask, openOwn } from '../view/open-task.js';
import { queryTask, viewTask } from '../view/view-task.js';

/** Longer than the minute that the hooks of a preflight may take. */
const EDIT_MS = 65_000;
const MAX_TRIES = 10;
const FAILED_PRECONDITION = 9;

/**
 * Sets and removes input fields of a task that has not run yet. Preflight runs again for one caller after the
 * other, so that changes of different fields add up. Source: R-000-84, C-37.
 * @throws AbilityError `usage.invalid` for a field in both, `task.not_found`, `task.other_project`, `task.started`, `placement.no_worker`,
 * `worker.unavailable`, and errors of preflight; then nothing has changed.
 */
export async function changeInput(connection: Connection, key: string, edit: InputEdit): Promise<EditAnswer> {
  if (!isTaskId(key)) throw taskNotFound(key);
  const both = edit.unset.filter((name) => Object.hasOwn(edit.set, name));
  if (both.length > 0) throw usageError(`${both.join(', ')} cannot be both set and unset`);
  return asking(connection, async () => {
    const { execution } = await openChangeable(connection, key);
    try {
      const answer = await connection.temporal.withDeadline(Date.now() + EDIT_MS, () => send(execution, edit));
      // The task answers only after its record is written.
      if (answer.changed) await queryTask(connection, key).catch(() => undefined);
      return answer;
    } catch (error) {
      throw await translate(connection, key, error);
    }
  });
}

/** The fixed update id makes repeated sends the same update, which the task applies once. */
async function send(execution: WorkflowHandle, edit: InputEdit): Promise<EditAnswer> {
  const updateId = randomUUID();
  for (let left = MAX_TRIES - 1; ; left -= 1) {
    try {
      return await execution.executeUpdate<EditAnswer, [InputEdit]>(UPDATES.modify, { args: [edit], updateId });
    } catch (error) {
      if (left === 0 || !wasSetBack(error)) throw error;
    }
  }
}

/** The server drops an update, with one of these errors, on a signal or when the task goes on as a new run. */
function wasSetBack(error: unknown): boolean {
  if (error instanceof WorkflowNotFoundError) return /^update .* not found/i.test(error.message);
  const cause = error instanceof ServiceError ? error.cause : error;
  return (
    isGrpcServiceError(cause) &&
    cause.code === FAILED_PRECONDITION &&
    /unexpected workflow task failure/i.test(cause.details)
  );
}

async function openChangeable(connection: Connection, key: string): Promise<OwnTask> {
  const task = await openOwn(connection, key);
  // Temporal may have forgotten a task that still has a record.
  if (task?.description.status.name !== 'RUNNING') throw await whyClosed(connection, key);
  await refuseUnserved(connection, task.description.taskQueue);
  return task;
}

async function whyClosed(connection: Connection, key: string, cause?: unknown): Promise<AbilityError> {
  const { result } = await viewTask(connection, key);
  const message = `${key} has ended (${result.status}), so its input cannot be changed`;
  const suggestion = `Run it again under another key: ability task get ${key} | ability run ${result.ability_id} --input -`;
  return new AbilityError({ code: 'task.started', message, suggestion }, { cause });
}

async function translate(connection: Connection, key: string, error: unknown): Promise<unknown> {
  if (isUnknownWorkflow(error)) return whyClosed(connection, key, error);
  if (error instanceof WorkflowUpdateFailedError) {
    // If the task ended after it accepted the update, the error has no reason of its own.
    const problem = problemIn(error.cause);
    if (!problem || problem.code === ENDED_BEFORE_ANSWER) return whyClosed(connection, key, error);
    return new AbilityError(problem, { cause: error });
  }
  if (!(error instanceof WorkflowUpdateRPCTimeoutOrCancelledError)) return error;
  const message = `No worker took up the change of ${key} within ${EDIT_MS / 1000} s`;
  const suggestion = `Run \`ability task get ${key}\` to see whether it was made after all, and \`ability doctor\` to check the worker.`;
  return new AbilityError({ code: 'worker.unavailable', message, suggestion }, { cause: error });
}
