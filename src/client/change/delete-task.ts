import { ApplicationFailure, WorkflowFailedError, type WorkflowHandle } from '@temporalio/client';
import type { Person } from '../../contracts/callers.js';
import type { DeleteRequest, Deletion, Tombstone } from '../../contracts/deletion.js';
import { deleteIdOf, taskQueueOf, WORKFLOWS } from '../../contracts/names.js';
import { AbilityError, type Problem, usageError } from '../../contracts/problem.js';
import { isDirect, isTaskKey, rootOf } from '../../rules/tasks/task-ids.js';
import { startTimer } from '../../server/start-timer.js';
import type { Connection } from '../connection/connect.js';
import { placementWithWorker, refuseUnserved } from '../connection/find-workers.js';
import { keepingRuntime } from '../connection/keep-runtime.js';
import { asking, keywordAttributes, taskNotFound } from '../connection/temporal-errors.js';
import { stateOf } from '../list/task-query.js';
import { type OwnTask, openOwn, readDeletion } from '../view/open-task.js';
import { findRecord } from '../view/read-record.js';
import { type Stall, watchingStalls } from '../watch/find-stall.js';

/** The settings of a deletion. */
export interface DeleteOptions {
  by: Person;
  /** Also deletes its history in Temporal. */
  purge: boolean;
  /** The maximum wait in milliseconds; the deletion continues. */
  timeoutMs?: number | undefined;
  onStall?: (stall: Stall) => void;
  signal?: AbortSignal | undefined;
}

/** The outcome of a deletion. */
export type DeleteEnd =
  | { kind: 'deleted'; deletion: Deletion }
  /** It had been deleted before, so nothing was done. */
  | { kind: 'already'; deletion: Tombstone }
  /** Preflight had refused it: only the request existed, and the key is available again. */
  | { kind: 'unformed' }
  | { kind: 'aborted' };

/** After joining a running deletion that does not purge, another one follows. */
const MAX_TURNS = 3;

/**
 * Ends a task if it is open, removes its record and those of the tasks it called, and leaves a tombstone. A second
 * call joins the first one. Source: R-000-85, C-37; docs/architecture.md#the-way-of-a-task.
 * @throws AbilityError `task.not_found`, `task.other_project`, `task.delete_failed`, `usage.invalid` for a part of
 * another task, `placement.no_worker`, `wait.timeout`.
 */
export async function deleteTask(connection: Connection, key: string, options: DeleteOptions): Promise<DeleteEnd> {
  refuseNoTask(key);
  const { timeoutMs, signal } = options;
  return asking(connection, async () => {
    const stop = new AbortController();
    const abort = (): void => stop.abort();
    signal?.addEventListener('abort', abort, { once: true });
    if (signal?.aborted) stop.abort();
    const stopTimer = startTimer(timeoutMs ?? Number.POSITIVE_INFINITY, abort);
    const course: Course = { connection, key, options, stop: stop.signal, isBegun: false };
    try {
      return await deleteOnce(course);
    } catch (error) {
      if (signal?.aborted) return { kind: 'aborted' };
      throw stop.signal.aborted ? tookTooLong(course, error) : error;
    } finally {
      stopTimer();
      signal?.removeEventListener('abort', abort);
    }
  });
}

interface Course {
  connection: Connection;
  key: string;
  options: DeleteOptions;
  /** Ends the wait, not the deletion. */
  stop: AbortSignal;
  /** Temporal has accepted it, so it continues by itself. */
  isBegun: boolean;
}

async function deleteOnce(course: Course): Promise<DeleteEnd> {
  const { connection, key, options, stop } = course;
  // The server may stop before a call that joins a deletion starts to wait.
  const lasting = <T>(action: () => Promise<T>): Promise<T> => keepingRuntime(connection, action, stop);
  const { task, known } = await lasting(async () => ({
    task: await openOwn(connection, key),
    known: await readDeletion(connection, key),
  }));
  if (known && (!options.purge || known.purged)) return { kind: 'already', deletion: known };
  const isRefused = task && stateOf(task.description) === 'unavailable';
  if (isRefused && !options.purge) throw neverFormed(key);
  const queue = await lasting(() => queueOf(connection, key, task, known));
  const request: DeleteRequest = { key, by: options.by, purge: options.purge, ...(isRefused && { refused: true }) };
  for (let turn = 0; turn < MAX_TURNS; turn += 1) {
    const handle = await lasting(() => start(connection, queue, request));
    course.isBegun = true;
    const deletion = await resultOf(handle.workflowId, course);
    if (!deletion) return { kind: 'unformed' };
    if (deletion.problem) throw new AbilityError(deletion.problem);
    if (deletion.purged || !options.purge) return { kind: 'deleted', deletion };
  }
  throw new AbilityError({ code: 'task.delete_failed', message: `${key} is being deleted by others at the same time` });
}

/** Refuses all but task keys: the key names a folder. Called tasks are deleted with their caller. */
function refuseNoTask(key: string): void {
  if (isTaskKey(key)) return;
  const root = rootOf(key);
  if (root !== key && isTaskKey(root)) {
    throw usageError(`${key} was called by ${root}, and is deleted with it`, `ability task delete ${root}`);
  }
  if (!isDirect(key)) throw taskNotFound(key);
  throw usageError(
    'A direct run has no key and no record, so there is nothing to delete; Temporal forgets it by itself',
  );
}

function neverFormed(key: string): AbilityError {
  return new AbilityError({
    code: 'task.not_found',
    message: `There is no task ${key}: it was refused, and its key is free`,
    suggestion: `To delete the request from Temporal: ability task delete ${key} --purge.`,
  });
}

/** The task's own queue, since its workers have the record. */
async function queueOf(
  connection: Connection,
  key: string,
  task: OwnTask | undefined,
  deleted: Tombstone | undefined,
): Promise<string> {
  if (task) {
    const { taskQueue } = task.description;
    await refuseUnserved(connection, taskQueue);
    return taskQueue;
  }
  const environment = deleted?.environment ?? (await findRecord(connection, key))?.request.environment;
  if (environment === undefined) throw taskNotFound(key);
  return taskQueueOf(connection.project, environment, await placementWithWorker(connection, environment));
}

function start({ temporal, project }: Connection, taskQueue: string, request: DeleteRequest): Promise<WorkflowHandle> {
  return temporal.workflow.start(WORKFLOWS.delete, {
    workflowId: deleteIdOf(request.key, request.refused),
    taskQueue,
    args: [request],
    workflowIdConflictPolicy: 'USE_EXISTING',
    workflowIdReusePolicy: 'ALLOW_DUPLICATE',
    // Counts as a running task, so that the project's own runtime stays up for it.
    typedSearchAttributes: keywordAttributes({ AbilityProject: project, AbilityStatus: 'running' }),
    staticSummary: `deletes ${request.key}, for ${request.by.name}`,
  });
}

async function resultOf(id: string, { connection, key, options, stop }: Course): Promise<Deletion | null> {
  try {
    const wait = (): Promise<unknown> => connection.temporal.workflow.getHandle(id).result();
    const result = await keepingRuntime(connection, () => watchingStalls(connection, id, options.onStall, wait), stop);
    return result as Deletion | null;
  } catch (error) {
    throw failureOf(key, error);
  }
}

function tookTooLong({ key, isBegun }: Course, cause: unknown): AbilityError {
  const what = isBegun ? 'it has not ended; the deletion goes on' : 'the server was not reached in time';
  const why = isBegun ? `Run \`ability why ${key}\` to see what it does; ` : '';
  const message = `${key} is not deleted yet: ${what}`;
  const suggestion = `${why}\`ability task delete ${key}\` ${isBegun ? 'waits for the deletion again' : 'tries again'}.`;
  return new AbilityError({ code: 'wait.timeout', message, suggestion }, { cause });
}

function failureOf(key: string, error: unknown): unknown {
  if (!(error instanceof WorkflowFailedError)) return error;
  const { cause } = error;
  const message = `${key} was not deleted: ${cause?.message ?? error.message}`;
  const problem = cause instanceof ApplicationFailure ? (cause.details?.[0] as Problem | undefined) : undefined;
  return new AbilityError(problem ?? { code: 'task.delete_failed', message }, { cause: error });
}
