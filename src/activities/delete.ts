import { Context } from '@temporalio/activity';
import type { DeleteRequest, Deletion, TaskToDelete, Tombstone } from '../contracts/deletion.js';
import { ACTIVITY_LIMITS, deleteIdOf, USER_KEY, WORKFLOWS } from '../contracts/names.js';
import { AbilityError } from '../contracts/problem.js';
import type { TaskMemo } from '../contracts/task.js';
import { otherProject } from '../rules/other-project.js';
import { toFailure } from './failures.js';
import type { FileDependencies } from './files/call-files.js';
import type { PlanSource } from './plan-source.js';
import type { RecordFolder } from './record/record-folder.js';

/** What Temporal knows of the workflow that has a key. */
export interface Execution {
  isOpen: boolean;
  /** Undefined where it is no task. */
  memo: TaskMemo | undefined;
  /** Name of the project it belongs to. */
  project: string | undefined;
}

/** The workflows of tasks, as far as deleting them asks for it. */
export interface Executions {
  /** Undefined where Temporal knows none. */
  find(key: string): Promise<Execution | undefined>;
  cancel(key: string): Promise<void>;
  /** Deletes all runs of a task, of those it called, of its notices and of its preflights; some may be gone already. */
  remove(key: string, project: string, onProgress: () => void): Promise<void>;
}

/** What deleting a task needs of its worker. */
export interface DeleteDependencies {
  project: string;
  host: string;
  plans: PlanSource;
  records: RecordFolder;
  files: FileDependencies;
  executions: Executions;
}

const LOOK_MS = 300;
const BEAT_MS = ACTIVITY_LIMITS.heartbeat / 3;

/**
 * Makes sure that a task has ended: asks it to stop, and waits for its clean-up.
 *
 * @returns what is known of it. @throws AbilityError `task.not_found`, `task.other_project`.
 */
export function createEndTask(dependencies: DeleteDependencies): (request: DeleteRequest) => Promise<TaskToDelete> {
  return (request) =>
    answering(request.key, dependencies, async (context) => {
      const { key } = request;
      const execution = await findOwn(key, dependencies);
      if (execution?.isOpen) await waitForEnd(key, context, dependencies);
      const deleted = dependencies.records.readTombstone(key);
      const record = await dependencies.records.find(key);
      const memo = execution?.memo;
      if (!memo && !record && !deleted) throw notFound(key);
      const task = {
        ability_id: memo?.ability ?? record?.request.ability ?? deleted?.ability_id ?? '',
        environment: memo?.environment ?? record?.request.environment ?? deleted?.environment ?? '',
        input: memo?.input ?? record?.request.input ?? deleted?.input ?? null,
      };
      return { ...task, ...(deleted && { deleted }) };
    });
}

/** Puts a tombstone in the place of the record of a task, with those of the tasks it called, and removes what was shared of it. */
export function createErase(
  dependencies: DeleteDependencies,
): (tombstone: Tombstone) => Promise<Pick<Deletion, 'host' | 'record'>> {
  return (tombstone) =>
    answering(tombstone.task_key, dependencies, async () => {
      const { host, records } = dependencies;
      const wasHere = records.bury(tombstone);
      const wasShared = await records.unshare(tombstone.task_key);
      // After the tombstone, which says that the task is no more: what is held from here on is another task's.
      await releaseFiles(tombstone.task_key, dependencies);
      return { host, record: wasHere || wasShared ? ('removed' as const) : ('absent' as const) };
    });
}

/** What a store refuses now it may allow later, so that its error is not one that ends the deletion. */
async function releaseFiles(key: string, { files }: DeleteDependencies): Promise<void> {
  try {
    await files.store.release(key);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`the files of ${key} could not be removed: ${reason}`, { cause: error });
  }
}

/** Deletes the history of a task in Temporal. */
export function createPurge(dependencies: DeleteDependencies): (request: DeleteRequest) => Promise<void> {
  return ({ key }) =>
    answering(key, dependencies, async (context) => {
      await findOwn(key, dependencies);
      await dependencies.executions.remove(key, dependencies.project, () => context.heartbeat());
    });
}

/** Only the deletion of this very task may ask, and a key must not lead out of the records. */
async function answering<T>(
  key: string,
  { plans }: DeleteDependencies,
  answer: (context: Context) => Promise<T>,
): Promise<T> {
  const context = Context.current();
  const { workflowType, workflowExecution, taskQueue } = context.info;
  const beat = setInterval(() => context.heartbeat(), BEAT_MS);
  try {
    const isAsked = workflowType === WORKFLOWS.delete && workflowExecution?.workflowId === deleteIdOf(key);
    if (!isAsked || !USER_KEY.test(key)) throw outsider();
    // Foreign code can have that type and id, and runs on a queue that no worker of ours polls.
    const run = await plans.runs.find(workflowExecution);
    if (run?.taskQueue !== taskQueue || run.eager) throw outsider();
    context.heartbeat();
    return await answer(context);
  } catch (error) {
    // What Temporal or the disk refuses now it may allow later.
    throw error instanceof AbilityError ? toFailure(error) : error;
  } finally {
    clearInterval(beat);
  }
}

async function waitForEnd(key: string, context: Context, { executions }: DeleteDependencies): Promise<void> {
  await executions.cancel(key);
  while ((await executions.find(key))?.isOpen) await context.sleep(LOOK_MS);
}

/** The workflow of a key, which must be a task of this project. */
async function findOwn(key: string, { executions, project }: DeleteDependencies): Promise<Execution | undefined> {
  const found = await executions.find(key);
  if (!found || (found.memo && found.project === project)) return found;
  if (found.memo) throw otherProject(key, found.project ?? '', project);
  throw notFound(key, 'the key is that of a workflow that is no task');
}

function notFound(key: string, why?: string): AbilityError {
  return new AbilityError({
    code: 'task.not_found',
    message: `There is no task ${key} in this project${why ? `: ${why}` : ''}`,
    suggestion: 'Run `ability task list` to see what there is.',
  });
}

function outsider(): AbilityError {
  return new AbilityError({
    code: 'seal.invalid',
    message: 'This activity was not asked for by the deletion of a task',
    suggestion: 'Delete tasks with `ability task delete`.',
  });
}
