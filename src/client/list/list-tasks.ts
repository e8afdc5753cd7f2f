import type { WorkflowExecutionInfo } from '@temporalio/client';
import { executionInfoFromRaw } from '@temporalio/client/lib/helpers.js';
import { SIGNALS } from '../../contracts/names.js';
import { type AbilityError, usageError } from '../../contracts/problem.js';
import type { ListedState } from '../../contracts/states.js';
import type { TaskMemo } from '../../contracts/task.js';
import { isAllowed } from '../../rules/rights.js';
import { isTaskId } from '../../rules/tasks/task-ids.js';
import type { Connection } from '../connection/connect.js';
import { firstEvents } from '../connection/history-events.js';
import { asking, invalidArgumentOf } from '../connection/temporal-errors.js';
import { deletedAmong } from '../view/open-task.js';
import { stateOf, type TaskFilter, taskQuery } from './task-query.js';

/** Which tasks to list, and how many at most. */
export interface ListFilter extends TaskFilter {
  limit: number;
}

/** One task in a list. Times are ISO 8601. */
export interface ListedTask {
  task_key: string;
  ability_id: string;
  version: number | string;
  status: ListedState;
  environment: string;
  session: string | null;
  requested_by: string;
  /** The agent that acted for the requester; absent: none. */
  agent?: string;
  /** The purpose of the request; null if it was not given. */
  intent: string | null;
  /** Who changed its input last, and when; null: it was not changed. */
  changed: { by: string; at: string } | null;
  started_at: string;
  finished_at: string | null;
}

/** The most that Temporal returns at once. */
const MAX_PAGE = 1000;

/**
 * Open tasks first, then the last ended; without internal, direct and deleted ones.
 * @throws AbilityError `usage.invalid` for a value or a condition that Temporal cannot take.
 */
export async function listTasks(connection: Connection, filter: ListFilter): Promise<ListedTask[]> {
  const query = taskQuery(connection.project, filter);
  return asking(connection, async () => {
    let tasks: ListedTask[] = [];
    try {
      const pageSize = Math.min(filter.limit, MAX_PAGE);
      for await (const execution of connection.temporal.workflow.list({ query, pageSize })) {
        if (!isTaskId(execution.workflowId)) continue;
        const task = await listed(connection, execution);
        if (!isWanted(filter, task)) continue;
        tasks.push(task);
        if (tasks.length < filter.limit) continue;
        tasks = await withoutDeleted(connection, tasks);
        if (tasks.length === filter.limit) return tasks;
      }
    } catch (error) {
      throw refusal(filter, error) ?? error;
    }
    return withoutDeleted(connection, tasks);
  });
}

/** A page of a list, with the cursor of the next one. */
export interface TaskPage {
  tasks: ListedTask[];
  /** Null: this is the last page. */
  next_cursor: string | null;
}

/**
 * As {@link listTasks}, in pages of at most `limit`; a page may be shorter although others follow.
 * @param cursor of the previous page; absent: the first page. @throws AbilityError `usage.invalid` if invalid.
 */
export async function listTaskPage(connection: Connection, filter: ListFilter, cursor?: string): Promise<TaskPage> {
  const query = taskQuery(connection.project, filter);
  const { workflowService, options } = connection.temporal;
  let nextPageToken = readCursor(cursor);
  return asking(connection, async () => {
    for (;;) {
      const page = await workflowService
        .listWorkflowExecutions({
          namespace: connection.namespace,
          query,
          pageSize: filter.limit,
          ...(nextPageToken && { nextPageToken }),
        })
        .catch((error: unknown) => {
          throw (cursor === undefined ? undefined : refusedCursor(cursor, error)) ?? refusal(filter, error) ?? error;
        });
      const converter = options.loadedDataConverter;
      const found = await Promise.all(
        (page.executions ?? [])
          .filter(({ execution }) => isTaskId(execution?.workflowId ?? ''))
          .map(async (raw) =>
            listed(connection, await executionInfoFromRaw(raw, converter, raw, connection.namespace)),
          ),
      );
      const wanted = found.filter((task) => isWanted(filter, task));
      const tasks = await withoutDeleted(connection, wanted);
      nextPageToken = page.nextPageToken?.length ? page.nextPageToken : undefined;
      if (tasks.length === 0 && nextPageToken) continue;
      return { tasks, next_cursor: nextPageToken ? Buffer.from(nextPageToken).toString('base64url') : null };
    }
  });
}

/** What Temporal's list cannot tell. */
function isWanted(
  { status, within }: TaskFilter,
  { status: state, ability_id: ability, environment }: ListedTask,
): boolean {
  if (status && status.length > 0 && !status.includes(state)) return false;
  return !within || isAllowed({ read: within }, 'read', { ability, environment });
}

function readCursor(cursor: string | undefined): Uint8Array | undefined {
  if (cursor === undefined) return undefined;
  if (/^[A-Za-z0-9_-]{1,4096}$/.test(cursor)) return Buffer.from(cursor, 'base64url');
  throw noCursor(cursor);
}

function refusedCursor(cursor: string, error: unknown): AbilityError | undefined {
  return /page ?token/i.test(invalidArgumentOf(error) ?? '') ? noCursor(cursor, error) : undefined;
}

function noCursor(cursor: string, cause?: unknown): AbilityError {
  const message = `${JSON.stringify(cursor.slice(0, 100))} is no cursor of this list`;
  return usageError(message, 'Pass the `next_cursor` of the previous answer, or none.', cause);
}

/** Temporal keeps the histories of deleted tasks that were not purged. */
async function withoutDeleted(connection: Connection, tasks: ListedTask[]): Promise<ListedTask[]> {
  const deleted = await deletedAmong(
    connection,
    tasks.filter(({ finished_at }) => finished_at !== null).map(({ task_key }) => task_key),
  );
  return tasks.filter(({ task_key }) => !deleted.has(task_key));
}

async function listed(connection: Connection, execution: WorkflowExecutionInfo): Promise<ListedTask> {
  const { workflowId, type, searchAttributes, startTime, closeTime } = execution;
  const memo = (execution.memo ?? {}) as Partial<TaskMemo>;
  const state = stateOf(execution);
  return {
    task_key: workflowId,
    ability_id: type,
    version: memo.version ?? '',
    status: state === 'created' && (await wasRun(connection, workflowId)) ? 'running' : state,
    environment: memo.environment ?? '',
    session: searchAttributes.AbilitySession === undefined ? null : String(searchAttributes.AbilitySession[0]),
    requested_by: memo.requested_by ?? '',
    ...(memo.agent !== undefined && { agent: memo.agent }),
    intent: memo.intent ?? null,
    changed: memo.changed ?? null,
    started_at: startTime.toISOString(),
    finished_at: closeTime?.toISOString() ?? null,
  };
}

/** If the run signal comes after more events, the task is listed as `created` a little longer. */
const FIRST_EVENTS = 500;

/** Looks for the run signal. There is no attribute, which would cost an event in every task. */
async function wasRun(connection: Connection, id: string): Promise<boolean> {
  const events = await firstEvents(connection, id, FIRST_EVENTS);
  return events.some(({ workflowExecutionSignaledEventAttributes: signal }) => signal?.signalName === SIGNALS.run);
}

/** Translates Temporal's refusal of `--query`; undefined for any other error. */
function refusal({ query }: ListFilter, error: unknown): AbilityError | undefined {
  const reason = query === undefined ? undefined : invalidArgumentOf(error);
  if (reason === undefined) return undefined;
  const message = `Temporal does not understand --query ${JSON.stringify(query)}: ${reason}`;
  const suggestion =
    "Use a list filter of Temporal, such as: AbilityModule = 'users.api' AND CloseTime > '2026-01-31T00:00:00Z'.";
  return usageError(message, suggestion, error);
}
