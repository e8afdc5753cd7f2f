import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { WorkflowExecutionDescription } from '@temporalio/client';
import type { Person } from '../../contracts/people.js';
import { AbilityError } from '../../contracts/problem.js';
import type { TaskMemo } from '../../contracts/task.js';
import { isTask, projectOf } from '../../rules/tasks/other-project.js';
import type { Connection } from '../connection/connect.js';
import { withServer } from '../connection/keep-runtime.js';
import { describeIfKnown } from '../connection/temporal-errors.js';
import { taskQuery } from './task-query.js';

/** 128 random bits, as hex. */
const SECRET = /^[0-9a-f]{32}$/;
/** How many open tasks of a project are searched for those of one caller. */
const MAX_LOOKED_AT = 1000;

/** A task that belongs to a caller. */
export interface HandledTask {
  key: string;
  handle: string;
}

/** A secret for the handle of a new task: 128 random bits. */
export function newTaskSecret(): string {
  return randomBytes(16).toString('hex');
}

/**
 * The name of a task for a caller who may see no other tasks. It cannot be derived from the key of the task, which a person may have
 * chosen: the secret is random, and is stored in the memo of the task. Any process can resolve it. Source: docs/mcp.md#long-calls.
 */
export function handleOf(key: string, secret: string): string {
  return `${secret}.${Buffer.from(key).toString('base64url')}`;
}

/**
 * Resolves a handle of this caller to the key of its task.
 *
 * @throws AbilityError `task.not_found`, with the same message for an invalid handle, a missing task, and a task of another caller.
 */
export async function findHandled(connection: Connection, handle: string, caller: Person): Promise<string> {
  const [secret = '', name = ''] = handle.split('.');
  const key = Buffer.from(name, 'base64url').toString();
  if (SECRET.test(secret) && key !== '' && !key.includes(':') && handle === handleOf(key, secret)) {
    const description = await describe(connection, key);
    if (description && isOwn(connection, description, caller) && isSame(memoOf(description).handle, secret)) return key;
  }
  throw handleNotFound();
}

/** The handle of a task of this caller. @throws AbilityError `task.key_conflict` where the key is that of another caller. */
export async function readHandle(connection: Connection, key: string, caller: Person): Promise<string> {
  const description = await describe(connection, key);
  const { handle } = description ? memoOf(description) : {};
  if (description && handle !== undefined && isOwn(connection, description, caller)) return handleOf(key, handle);
  throw new AbilityError({
    code: 'task.key_conflict',
    message: 'The key already belongs to a task of another caller',
    suggestion: 'Choose another key.',
  });
}

/** Open tasks of a caller. */
export interface HandledTasks {
  tasks: HandledTask[];
  /** Not all open tasks were searched, because there are too many. */
  isCut: boolean;
}

/** The open tasks of a caller that were requested with a handle. */
export async function listHandled(connection: Connection, environment: string, caller: Person): Promise<HandledTasks> {
  const query = `${taskQuery(connection.project, { environment })} AND ExecutionStatus = 'Running'`;
  return withServer(connection, async () => {
    const tasks: HandledTask[] = [];
    let seen = 0;
    for await (const execution of connection.temporal.workflow.list({ query })) {
      if (seen === MAX_LOOKED_AT) return { tasks, isCut: true };
      seen += 1;
      const { handle } = memoOf(execution);
      if (handle === undefined || !isCallers(memoOf(execution), caller)) continue;
      tasks.push({ key: execution.workflowId, handle: handleOf(execution.workflowId, handle) });
    }
    return { tasks, isCut: false };
  });
}

function handleNotFound(): AbilityError {
  return new AbilityError({
    code: 'task.not_found',
    message: 'You have no task of that id',
    suggestion: 'Give the id as it was answered when the task was started.',
  });
}

function isOwn({ project }: Connection, description: WorkflowExecutionDescription, caller: Person): boolean {
  return isTask(description) && projectOf(description) === project && isCallers(memoOf(description), caller);
}

function isCallers({ requested_by, agent }: Partial<TaskMemo>, caller: Person): boolean {
  return requested_by === caller.name && agent === caller.agent;
}

/** In a time that says nothing of how much of it was right. */
function isSame(held: string | undefined, given: string): boolean {
  return held !== undefined && held.length === given.length && timingSafeEqual(Buffer.from(held), Buffer.from(given));
}

function memoOf({ memo }: { memo?: Record<string, unknown> | undefined }): Partial<TaskMemo> {
  return (memo ?? {}) as Partial<TaskMemo>;
}

function describe(connection: Connection, key: string): Promise<WorkflowExecutionDescription | undefined> {
  return withServer(connection, () => describeIfKnown(connection, key));
}
