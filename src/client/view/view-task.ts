import { setTimeout as sleep } from 'node:timers/promises';
import { QueryNotRegisteredError } from '@temporalio/client';
import { ASK_AGAIN, QUERIES } from '../../contracts/names.js';
import { AbilityError } from '../../contracts/problem.js';
import type { TaskRecord } from '../../contracts/record.js';
import { isEndState } from '../../contracts/states.js';
import type { StorySource } from '../../contracts/story.js';
import type { TaskResult, TaskView } from '../../contracts/task.js';
import { grpcErrorOf } from '../../server/temporal/grpc-error.js';
import type { Connection } from '../connection/connect.js';
import { asking, isUnknownWorkflow, taskNotFound } from '../connection/temporal-errors.js';
import { openOwn, openToRead, refuseDeleted } from './open-task.js';
import { findRecord } from './read-record.js';
import { awaitResult, linksOf, resultFromDescription, resultFromMemo } from './read-result.js';

/** Without an answer in this time, no worker is assumed. Milliseconds. */
const QUERY_MS = 5000;
const PAUSE_MS = 300;
/** gRPC codes of a query that no worker answers: deadline exceeded, too many queries that wait, and no worker polls. */
const UNANSWERED = new Set([4, 8, 9]);

/**
 * Who says what an open task is about. `worker`: only its worker knows steps, approvals and files; `anyone`: else what
 * Temporal itself knows, without them; `temporal`: only that, at once.
 */
export type Source = 'worker' | 'anyone' | 'temporal';

/** The state of a task, and its source. */
export interface SeenTask {
  result: TaskResult;
  /** Has input and progress, which only a worker or a record knows. */
  view: TaskView | undefined;
  source: StorySource;
}

/**
 * From a query if the task is open, from its close event if ended, from its record if Temporal forgot it.
 * @throws AbilityError `task.not_found`, `task.deleted`; with the source `worker` `worker.unavailable`, since what is not
 * known is not none.
 */
export async function viewTask(connection: Connection, id: string, from: Source = 'worker'): Promise<SeenTask> {
  return asking(connection, async () => {
    try {
      const describing = openToRead(connection, id);
      await Promise.all([refuseDeleted(connection, id), describing.catch(() => undefined)]);
      const description = await describing;
      if (description.status.name !== 'RUNNING') {
        return { result: await awaitResult(connection, id), view: undefined, source: 'history' };
      }
      const bare = resultFromDescription(connection, id, description);
      const answer = from === 'temporal' ? undefined : await askTask(connection, id, from);
      // It ended between the two requests; the worker's answer lacks the output.
      if (answer && isEndState(answer.status)) {
        return { result: await awaitResult(connection, id), view: undefined, source: 'history' };
      }
      const view = answer && { ...answer, ...(bare.project !== undefined && { project: bare.project }) };
      if (view) return { result: view, view, source: 'worker' };
      return {
        result: { ...bare, links: { ...bare.links, ...linksOf(connection, id) } },
        view: undefined,
        source: 'description',
      };
    } catch (error) {
      if (!isUnknownWorkflow(error)) throw error;
      const record = await findRecord(connection, id);
      if (!record) throw taskNotFound(id, error);
      const result = resultOfRecord(record);
      const { page } = linksOf(connection, id);
      return { result: { ...result, links: { ...result.links, page } }, view: undefined, source: 'record' };
    }
  });
}

/** As {@link viewTask}, before changing a task. @throws AbilityError `task.other_project`. */
export async function viewOwnTask(connection: Connection, id: string, from?: Source): Promise<SeenTask> {
  await asking(connection, () => openOwn(connection, id));
  return viewTask(connection, id, from);
}

/** An open task, with those that it has called and that run. */
export interface OpenTask {
  view: TaskView;
  /** Step path to the called task. */
  called: Map<string, OpenTask>;
}

/** Queries the worker; undefined without an answer in time. */
export async function queryTask(connection: Connection, id: string): Promise<TaskView | undefined> {
  return (await queryOpenTask(connection, id))?.view;
}

/** As {@link queryTask}, with the tasks that it has called. */
export function queryOpenTask(connection: Connection, id: string): Promise<OpenTask | undefined> {
  return askOpenTask(connection, id, unlessUnanswered).catch(unlessUnanswered);
}

async function askTask(connection: Connection, id: string, from: Source): Promise<TaskView | undefined> {
  if (from === 'anyone') return queryTask(connection, id);
  const open = await askOpenTask(connection, id, unlessNotBegun).catch(unlessNotBegun);
  return open?.view;
}

/** @param forgive answers for a called task that cannot be asked. */
async function askOpenTask(
  connection: Connection,
  id: string,
  forgive: (error: unknown) => undefined,
): Promise<OpenTask> {
  const view = await askWorker<TaskView>(connection, id, QUERIES.task);
  return withCalled(connection, { ...view, links: { ...view.links, ...linksOf(connection, id) } }, forgive);
}

/** Queries a workflow of ours. @throws AbilityError `worker.unavailable` without an answer in time. */
export async function askWorker<T>({ temporal }: Connection, id: string, query: string, runId?: string): Promise<T> {
  try {
    const handle = temporal.workflow.getHandle(id, runId);
    const until = Date.now() + QUERY_MS;
    for (;;) {
      try {
        return await temporal.withDeadline(until, () => handle.query<T>(query));
      } catch (error) {
        const isLater = error instanceof QueryNotRegisteredError && error.message.includes(ASK_AGAIN);
        if (!isLater || Date.now() + PAUSE_MS > until) throw error;
      }
      await sleep(PAUSE_MS);
    }
  } catch (error) {
    const { code, details = '' } = grpcErrorOf(error) ?? {};
    // A workflow whose code fails has a worker.
    if (code === undefined || !UNANSWERED.has(code) || /failed state/i.test(details)) throw error;
    const message = `No worker answers for ${id}, so what only a worker knows of it cannot be read`;
    throw new AbilityError({ code: 'worker.unavailable', message, suggestion: SERVED }, { cause: error });
  }
}

const SERVED =
  'Start a worker of its environment (`ability worker --env NAME`), or run `ability doctor`; then ask again.';

/** Its first workflow task has not ended, so that there is nothing yet. */
function unlessNotBegun(error: unknown): undefined {
  if (error instanceof QueryNotRegisteredError) return undefined;
  throw error;
}

function unlessUnanswered(error: unknown): undefined {
  if (grpcErrorOf(error) || error instanceof QueryNotRegisteredError) return undefined;
  // The answer may be in a store that is not accessible here; the caller uses the description.
  if (error instanceof AbilityError && ['store.not_shared', 'worker.unavailable'].includes(error.code))
    return undefined;
  throw error;
}

/** Adds the open approvals of the called tasks to those of the caller. */
async function withCalled(
  connection: Connection,
  view: TaskView,
  forgive: (error: unknown) => undefined,
): Promise<OpenTask> {
  const children = Object.entries(view.progress).flatMap(([path, { status, child }]) =>
    status === 'running' && child ? [{ path, child }] : [],
  );
  const answers = await Promise.all(
    children.map(({ child }) =>
      askOpenTask(connection, child, forgive)
        .catch(forgive)
        .catch((error: unknown) => {
          // It has ended meanwhile.
          if (isUnknownWorkflow(error)) return undefined;
          throw error;
        }),
    ),
  );
  const called = new Map<string, OpenTask>();
  const open = children.flatMap(({ path, child }, index) => {
    const inner = answers[index];
    if (inner) called.set(path, inner);
    return (inner?.view.approvals ?? [])
      .filter(({ status }) => status === 'open')
      .map((approval) => ({ ...approval, task: approval.task ?? child }));
  });
  if (open.length === 0) return { view, called };
  return { view: { ...view, status: 'waiting_approval', approvals: [...view.approvals, ...open] }, called };
}

function resultOfRecord(record: TaskRecord): TaskResult {
  if (record.result) return record.result;
  const { plan, plan_digest: digest, intent } = record;
  const { id: ability, version } = plan.ability;
  const memo = { ability, environment: plan.environment.name };
  return {
    ...resultFromMemo(record.task_key, { ...memo, ...(intent !== undefined && { intent }) }, null),
    status: 'created',
    version,
    digest,
    task_key: record.task_key,
    warnings: [...record.warnings, 'Temporal does not know this task; only its record is here'],
    requested_by: record.requested_by,
  };
}

export function hasEnded({ result }: SeenTask): boolean {
  return isEndState(result.status);
}
