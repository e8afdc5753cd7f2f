import { z } from 'zod';
import {
  type Connection,
  cancelTask,
  findHandled,
  keepingRuntime,
  listHandled,
  readApprovals,
} from '../../client/index.js';
import { AbilityError } from '../../contracts/problem.js';
import { followTask, lookAtTask } from './follow-task.js';
import type { ToolAnswer, ToolCall } from './mcp-door.js';
import { withTurnContext } from './prompt-session.js';
import { approvalFields, type OwnTask } from './task-answer.js';

export const taskInput = z.strictObject({ task: z.string().describe('As ability_run answered.') });

export const resultInput = taskInput.extend({
  wait: z.number().int().min(0).max(50).default(5).describe('Seconds.'),
});

const MAX_READ = 50;

/** `task_status`: the present state of a task. @throws AbilityError `task.not_found`. */
export async function taskStatus(call: ToolCall, { task }: z.output<typeof taskInput>): Promise<ToolAnswer> {
  const connection = await call.loan.connect();
  return lookAtTask(call, connection, await findTask(call, connection, task));
}

/** `task_result`: the end of a task, if it comes while the caller waits. @throws AbilityError `task.not_found`. */
export async function taskResult(call: ToolCall, { task, wait }: z.output<typeof resultInput>): Promise<ToolAnswer> {
  const connection = await call.loan.connect();
  const found = await findTask(call, connection, task);
  const answer = wait === 0 ? lookAtTask(call, connection, found) : followTask(call, connection, found, wait * 1000);
  return withTurnContext(call, connection, await answer);
}

/** `task_cancel`: asks a task to stop. @throws AbilityError `task.not_found`, `task.closed`. */
export async function cancel(call: ToolCall, { task }: z.output<typeof taskInput>): Promise<ToolAnswer> {
  const connection = await call.loan.connect();
  const { key } = await findTask(call, connection, task);
  await keepingRuntime(connection, () => cancelTask(connection, key));
  const next = 'Its clean-up runs first; ask for the end with task_result.';
  return { data: { status: 'cancelling', task, next }, isError: false };
}

/** `approvals_list`: what the caller's own tasks wait for. */
export async function listOwnApprovals({ door, caller, loan }: ToolCall): Promise<ToolAnswer> {
  const connection = await loan.connect();
  const { tasks, isCut } = await listHandled(connection, door.environment, caller);
  const shown = tasks.slice(0, MAX_READ);
  const open = await Promise.all(
    shown.map(async ({ key, handle }) => {
      const approvals = await readApprovals(connection, key).catch(unlessMissing);
      return approvals.map((approval) => ({ task: handle, ...approvalFields(key, approval, door) }));
    }),
  );
  const left = tasks.length - shown.length;
  return {
    data: {
      approvals: open.flat(),
      ...(left > 0 && { tasks_not_asked: left }),
      ...(isCut && { note: 'There are more open tasks than were looked at; ask for yours with task_status.' }),
    },
    isError: false,
  };
}

/** The caller's own task with this handle. @throws AbilityError `task.not_found`. */
export async function findTask({ caller }: ToolCall, connection: Connection, handle: string): Promise<OwnTask> {
  return { key: await findHandled(connection, handle, caller), handle };
}

/** Ignores tasks deleted since they were listed. */
function unlessMissing(error: unknown): never[] {
  if (error instanceof AbilityError && (error.code === 'task.not_found' || error.code === 'task.deleted')) return [];
  throw error;
}
