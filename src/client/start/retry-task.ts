import type { Person } from '../../contracts/people.js';
import { AbilityError } from '../../contracts/problem.js';
import type { TaskResult } from '../../contracts/task.js';
import { type WayToRetry, wayToRetry } from '../../rules/tasks/ways-to-retry.js';
import type { Connection } from '../connection/connect.js';
import { keepingRuntime } from '../connection/keep-runtime.js';
import { asking, isUnknownWorkflow, taskNotFound } from '../connection/temporal-errors.js';
import { openOwn } from '../view/open-task.js';
import { nextKey } from '../view/read-chain.js';
import { refuseDeleted } from '../view/read-deletion.js';
import { readPlan } from '../view/read-origin.js';
import { readRecord } from '../view/read-record.js';
import { queryTask } from '../view/view-task.js';
import { type CreatedTask, createTask } from './create-task.js';
import type { NewTask } from './new-task.js';

/** A query on a task that has just ended can get lost; a repeated one is answered. */
const TRIES = 4;

/** The settings of a retry. */
export interface Retry extends Pick<NewTask, 'caller' | 'review' | 'signal' | 'trace' | 'onStall'> {
  /** Id of the first step to repeat; absent: the first one that did not complete. */
  from?: string | undefined;
  user: Person;
  session?: string | null;
  /** As of {@link createTask}. */
  scope?: string;
  run: boolean;
}

/**
 * Creates a task `<key>.r2`, guarded and approved anew, with the results of steps that were done and not undone.
 * @throws AbilityError `task.not_found`, `task.deleted`, `task.open`, `task.other_project`, `worker.unavailable`,
 * and errors of {@link createTask}.
 */
export async function retryTask(connection: Connection, id: string, { from, ...wanted }: Retry): Promise<CreatedTask> {
  const { ability_id, environment, input, intent } = await asking(connection, async () => {
    await openOwn(connection, id);
    await refuseDeleted(connection, id);
    try {
      for (let turn = 0; turn < TRIES; turn += 1) {
        const view = await keepingRuntime(connection, () => queryTask(connection, id), wanted.signal);
        if (view) return view;
      }
    } catch (error) {
      throw isUnknownWorkflow(error) ? taskNotFound(id, error) : error;
    }
    throw new AbilityError({
      code: 'worker.unavailable',
      message: `No worker reports what ${id} has done`,
      suggestion: 'Start a worker for its environment: `ability doctor` says what is missing.',
    });
  });
  const retry = { task: id, from: from ?? null };
  const same = { ability: ability_id, environment, input, ...(intent !== undefined && { intent }) };
  return createTask(connection, { ...wanted, ...same, key: nextKey(id), retry });
}

/**
 * How an ended task can be retried; undefined if it cannot, or if that is unknown. As a retry, it needs the task
 * in Temporal, in this project, and a step of its own.
 */
export async function readWayToRetry(connection: Connection, result: TaskResult): Promise<WayToRetry | undefined> {
  const { task_key: task, status, error, project } = result;
  if (task === null || project !== undefined) return undefined;
  if (!wayToRetry({ task, status, plan: undefined, error })) return undefined;
  try {
    const { status: temporal } = await connection.temporal.workflow.getHandle(task).describe();
    if (temporal.name === 'RUNNING') return undefined;
    const plan = readRecord(connection, task)?.plan ?? (await readPlan(connection, task));
    return wayToRetry({ task, status, plan, error });
  } catch {
    // Only a hint; other requests report what is wrong with the server.
    return undefined;
  }
}
