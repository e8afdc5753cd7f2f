import type { Caller, Person } from '../../contracts/callers.js';
import { AbilityError } from '../../contracts/problem.js';
import type { TaskResult } from '../../contracts/task.js';
import { inputAfterEdits } from '../../rules/tasks/shown-approvals.js';
import { nextKey } from '../../rules/tasks/task-ids.js';
import { type WayToRetry, wayToRetry } from '../../rules/tasks/ways-to-retry.js';
import { readStart } from '../../server/temporal/read-start.js';
import { defined } from '../../text/defined.js';
import type { Connection } from '../connection/connect.js';
import { keepingRuntime } from '../connection/keep-runtime.js';
import { asking, taskNotFound } from '../connection/temporal-errors.js';
import { openOwn, refuseDeleted } from '../view/open-task.js';
import { readPlan } from '../view/read-origin.js';
import { readRecord } from '../view/read-record.js';
import { viewTask } from '../view/view-task.js';
import { createTask } from './create-task.js';
import type { CreatedTask, NewTask } from './new-task.js';

/** The settings of a retry. */
export interface Retry
  extends Pick<NewTask, 'door' | 'registry' | 'review' | 'signal' | 'onStall' | 'run' | 'soon' | 'leaves'> {
  /** Id of the first step to repeat; absent: the first one that did not complete. */
  from?: string | undefined;
  /** Paths of calls that still stand: they are not repeated. */
  stands?: string[] | undefined;
  /** Paths of calls that do not stand, or were undone by hand: they may be repeated. */
  undone?: string[] | undefined;
  /** Its lost calls are asked about first, as their `unknown` says. */
  reconcile?: true | undefined;
  person: Person;
  kind: Caller | null;
  trace: string | null;
  /** Absent: that of the task that it retries. */
  session?: string | null | undefined;
  /** Absent: that of the task that it retries. */
  scope?: string | undefined;
}

/**
 * Creates a task `<key>.r2`, guarded and approved anew, with the results of steps that were done and not undone.
 * @throws AbilityError `task.not_found`, `task.deleted`, `task.open`, `task.other_project`, and errors of
 * {@link createTask}.
 */
export async function retryTask(connection: Connection, id: string, retry: Retry): Promise<CreatedTask> {
  const { from, stands, undone, reconcile, person, kind, trace, session, scope, ...wanted } = retry;
  const begun = await asking(connection, () =>
    keepingRuntime(
      connection,
      async () => {
        const task = await openOwn(connection, id);
        await refuseDeleted(connection, id);
        if (!task) throw taskNotFound(id);
        return (await readStart(connection.temporal, connection.codec, { workflowId: id }))?.begun;
      },
      wanted.signal,
    ),
  );
  if (!begun) throw neverFormed(id);
  const { plan, options } = begun;
  const { result } = await viewTask(connection, id, 'temporal');
  return createTask(connection, {
    ...wanted,
    ability: plan.ability.id,
    environment: plan.environment.name,
    // What people approved, where they changed it.
    input: inputAfterEdits(begun.input, result),
    caller: {
      person,
      kind,
      trace,
      session: session === undefined ? begun.session : session,
      scope: scope ?? options.scope ?? null,
      intent: options.intent ?? null,
    },
    made: nextKey(id),
    retry: { task: id, from: from ?? null, ...defined({ stands, undone, reconcile }) },
  });
}

function neverFormed(id: string): AbilityError {
  return new AbilityError({
    code: 'task.not_found',
    message: `${id} was never formed, so there is nothing to retry`,
    suggestion: `Run the ability again; \`ability why ${id}\` says why it was refused.`,
  });
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
