import { z } from 'zod';
import {
  type Connection,
  keepingRuntime,
  type SeenTask,
  type Source,
  viewOwnTask,
  viewTask,
  waitForTask,
} from '../client/index.js';
import { isEndState } from '../contracts/states.js';
import type { TaskResult } from '../contracts/task.js';
import { parseDuration } from '../rules/duration.js';
import { task } from './concerns.js';
import * as fields from './fields.js';
import { type OpenProject, type OperationCaller, operation } from './operation.js';
import { shownResult, taskResult } from './task-result.js';

/** What a caller sees of a result; if the task waits for people, also how to go on. */
export function resultAnswer(result: TaskResult): TaskResult {
  const { task_key, approvals, links } = result;
  const open = approvals.filter(({ status }) => status === 'open').map(({ id }) => id);
  if (isEndState(result.status) || open.length === 0 || task_key === null) return shownResult(result);
  const waiting = { approvals: open, resume: `ability task watch ${task_key}`, link: links.temporal };
  return shownResult({ ...result, output: null, waiting });
}

/** The HTTP status of a result: 200 once it is final, 202 before. */
export function statusOfResult({ status }: { status: string }): 200 | 202 {
  return isEndState(status) ? 200 : 202;
}

/**
 * Waits for a task as long as requested while the caller stays; never for people. @param wait a duration; left out: no
 * wait. @throws AbilityError `door.too_many` if the caller waits for too many tasks.
 */
export async function waitFor(
  project: OpenProject,
  caller: OperationCaller,
  connection: Connection,
  key: string,
  wait: string | undefined,
  signal: AbortSignal,
): Promise<TaskResult> {
  const timeoutMs = wait === undefined ? 0 : parseDuration(wait);
  if (timeoutMs === 0) return (await viewReadable(project, connection, key)).result;
  const leave = project.reserve(caller);
  try {
    const { result } = await waitForTask(connection, key, { timeoutMs, approvalMs: 0, signal });
    return result ?? (await viewReadable(project, connection, key)).result;
  } finally {
    leave();
  }
}

/** Only a task of the project itself, as tokens open no other. @throws AbilityError as `viewOwnTask`. */
export function viewOwn(connection: Connection, key: string, from?: Source): Promise<SeenTask> {
  return keepingRuntime(connection, () => viewOwnTask(connection, key, from));
}

/** A task that a caller may read. @throws AbilityError as `viewTask`, and as {@link viewOwn} at a door. */
export function viewReadable(
  { readsOthers }: Pick<OpenProject, 'readsOthers'>,
  connection: Connection,
  key: string,
  from?: Source,
): Promise<SeenTask> {
  return readsOthers
    ? keepingRuntime(connection, () => viewTask(connection, key, from))
    : viewOwn(connection, key, from);
}

export const readResult = operation({
  summary: 'The result of a task; wait for it for up to `wait`.',
  right: 'read',
  concerns: task,
  at: 'GET /v1/tasks/{key}/result',
  input: z.strictObject({ key: fields.key, wait: fields.wait.optional() }),
  answers: {
    200: { means: 'It has ended: `status` says how.', schema: taskResult },
    202: { means: 'It has not ended yet.', schema: taskResult },
  },
  status: statusOfResult,
  run: (project, caller, { key, wait }, signal) =>
    project.ask(async (connection) => {
      // Without a wait, the view itself refuses a task of another project.
      if (wait !== undefined) await viewReadable(project, connection, key, 'temporal');
      return resultAnswer(await waitFor(project, caller, connection, key, wait, signal));
    }),
});
