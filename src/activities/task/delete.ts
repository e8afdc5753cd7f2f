import type { Context } from '@temporalio/activity';
import type { DeleteRequest, Deletion, TaskToDelete, Tombstone } from '../../contracts/deletion.js';
import { deleteIdOf, WORKFLOWS } from '../../contracts/names.js';
import { AbilityError, reasonOf } from '../../contracts/problem.js';
import { isTaskKey } from '../../rules/tasks/task-ids.js';
import { otherProject } from '../../rules/tasks/task-refusals.js';
import type { ActivityDependencies, Execution } from '../dependencies.js';
import { activityOf, toFailure } from '../failures.js';
import { sealInvalid } from '../seal.js';

type DeleteDependencies = Pick<ActivityDependencies, 'project' | 'host' | 'plans' | 'records' | 'files' | 'executions'>;

const LOOK_MS = 300;

/** Cancels a task and waits for its clean-up. @throws AbilityError `task.not_found`, `task.other_project`. */
export function createEndTask(dependencies: DeleteDependencies) {
  return ofDeletion(
    dependencies,
    ({ key }: DeleteRequest) => key,
    async ({ key }, context): Promise<TaskToDelete> => {
      const execution = await findOwn(key, dependencies);
      if (execution?.isOpen) await waitForEnd(key, context, dependencies);
      const deleted = dependencies.records.readTombstone(key);
      const record = await dependencies.records.find(key);
      const memo = execution?.memo;
      if (!memo && !record && !deleted) throw notFound(key);
      const task = {
        ability_id: memo?.ability ?? record?.request.ability ?? deleted?.ability_id ?? '',
        environment: memo?.environment ?? record?.request.environment ?? deleted?.environment ?? '',
        input: record?.request.input ?? deleted?.input ?? null,
      };
      return { ...task, ...(deleted && { deleted }) };
    },
  );
}

/** Replaces the records of a task and its called tasks by a tombstone; removes shared copy and files. */
export function createErase(dependencies: DeleteDependencies) {
  const { host, records, files } = dependencies;
  return ofDeletion(
    dependencies,
    ({ task_key }: Tombstone) => task_key,
    async (tombstone): Promise<Pick<Deletion, 'host' | 'record'>> => {
      const { task_key: key } = tombstone;
      const wasHere = records.bury(tombstone);
      const wasShared = await records.unshare(key);
      // After the tombstone: files held from now on belong to another task.
      await files.store.release(key).catch((error: unknown) => {
        // A store's refusal may be temporary: as an AbilityError it would end the deletion.
        throw new Error(`the files of ${key} could not be removed: ${reasonOf(error)}`, { cause: error });
      });
      return { host, record: wasHere || wasShared ? 'removed' : 'absent' };
    },
  );
}

export function createPurge(dependencies: DeleteDependencies) {
  return ofDeletion(
    dependencies,
    ({ key }: DeleteRequest) => key,
    async ({ key, refused }, context): Promise<void> => {
      await findOwn(key, dependencies);
      // One whose time is up must not continue beside its retry, nor hold up the end of its worker.
      await dependencies.executions[refused ? 'removeRefused' : 'remove'](key, () => {
        context.cancellationSignal.throwIfAborted();
        context.heartbeat();
      });
    },
  );
}

/** An activity that only the deletion of this task may request; a key must not leave the records. */
function ofDeletion<Request, Answer>(
  { plans }: DeleteDependencies,
  keyOf: (request: Request) => string,
  work: (request: Request, context: Context) => Promise<Answer>,
): (request: Request) => Promise<Answer> {
  return activityOf(
    async (request, context) => {
      const key = keyOf(request);
      const { workflowType, workflowExecution, taskQueue } = context.info;
      const id = workflowExecution?.workflowId;
      const isOwnRequest =
        workflowType === WORKFLOWS.delete && (id === deleteIdOf(key) || id === deleteIdOf(key, true));
      if (!isOwnRequest || !workflowExecution || !isTaskKey(key)) throw outsider();
      // Foreign code can have that type and id, but runs on a queue that our workers do not poll.
      const run = await plans.runs.find(workflowExecution);
      if (run?.taskQueue !== taskQueue || run.eager) throw outsider();
      context.heartbeat();
      return work(request, context);
    },
    // Refusals of Temporal or the disk may be temporary: they are retried.
    { beats: true, toError: (error) => (error instanceof AbilityError ? toFailure(error) : error) },
  );
}

async function waitForEnd(key: string, context: Context, { executions }: DeleteDependencies): Promise<void> {
  await executions.cancel(key);
  while ((await executions.find(key))?.isOpen) await context.sleep(LOOK_MS);
}

/** The workflow of a key. Refuses one that is not a task of this project. */
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
  return sealInvalid(
    'This activity was not requested by the deletion of a task',
    'Delete tasks with `ability task delete`.',
  );
}
