import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { WorkflowExecutionDescription } from '@temporalio/client';
import type { Person } from '../../contracts/callers.js';
import { AbilityError } from '../../contracts/problem.js';
import type { TaskMemo } from '../../contracts/task.js';
import { isTaskKey } from '../../rules/tasks/task-ids.js';
import { isTask, projectOf } from '../../rules/tasks/task-refusals.js';
import type { Connection } from '../connection/connect.js';
import { withServer } from '../connection/keep-runtime.js';
import { describeIfKnown } from '../connection/temporal-errors.js';
import { taskQuery } from './task-query.js';

/** 128 random bits, as hex. */
const SECRET = /^[0-9a-f]{32}$/;
/** The maximum number of open tasks to search for those of a caller. */
const MAX_LOOKED_AT = 1000;

/** An open task, with the handle that its requester uses. */
export interface HandledTask {
  key: string;
  ability: string;
  handle: string;
}

/** A secret for the handle of a new task: 128 random bits. */
export function newTaskSecret(): string {
  return randomBytes(16).toString('hex');
}

/**
 * A task's name for a caller who may see no others. A key can be guessed, so it has a random secret, which the
 * task's memo keeps; any process can resolve it. Source: docs/mcp.md#long-calls.
 */
export function handleOf(key: string, secret: string): string {
  return `${secret}.${Buffer.from(key).toString('base64url')}`;
}

/** @throws AbilityError `task.not_found`: same message if invalid, missing, or another caller's task. */
export async function findHandled(connection: Connection, handle: string, caller: Person): Promise<string> {
  const [secret = '', name = ''] = handle.split('.');
  const key = Buffer.from(name, 'base64url').toString();
  if (SECRET.test(secret) && isTaskKey(key) && handle === handleOf(key, secret)) {
    const description = await describe(connection, key);
    if (description && isOwn(connection, description, caller) && isSame(memoOf(description).handle, secret)) return key;
  }
  throw handleNotFound();
}

/** @throws AbilityError `task.key_conflict` if the key belongs to another caller. */
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

export interface HandledTasks {
  tasks: HandledTask[];
  /** Some tasks may be missing: not all open tasks were searched. */
  isCut: boolean;
}

/** The caller's open tasks that have a handle. */
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
      tasks.push({
        key: execution.workflowId,
        ability: execution.type,
        handle: handleOf(execution.workflowId, handle),
      });
    }
    return { tasks, isCut: false };
  });
}

function handleNotFound(): AbilityError {
  return new AbilityError({
    code: 'task.not_found',
    message: 'You have no task of that id',
    suggestion: 'Pass the id that was returned when the task was started.',
  });
}

function isOwn({ project }: Connection, description: WorkflowExecutionDescription, caller: Person): boolean {
  return isTask(description) && projectOf(description) === project && isCallers(memoOf(description), caller);
}

function isCallers({ requested_by, agent }: Partial<TaskMemo>, caller: Person): boolean {
  return requested_by === caller.name && agent === caller.agent;
}

/** Compares in constant time. */
function isSame(held: string | undefined, given: string): boolean {
  return held !== undefined && held.length === given.length && timingSafeEqual(Buffer.from(held), Buffer.from(given));
}

function memoOf({ memo }: { memo?: Record<string, unknown> | undefined }): Partial<TaskMemo> {
  return (memo ?? {}) as Partial<TaskMemo>;
}

function describe(connection: Connection, key: string): Promise<WorkflowExecutionDescription | undefined> {
  return withServer(connection, () => describeIfKnown(connection, key));
}
