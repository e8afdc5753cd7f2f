import { z } from 'zod';
import {
  type Connection,
  cancelTask,
  changeInput,
  findHandled,
  keepingRuntime,
  listHandled,
  readApprovals,
  runTask,
  unlessMissing,
  viewTask,
} from '../../client/index.js';
import type { Json, JsonObject } from '../../contracts/json.js';
import { AbilityError } from '../../contracts/problem.js';
import { task } from '../../operations/concerns.js';
import { withinRight } from '../../operations/run-operation.js';
import { isAllowed } from '../../rules/rights.js';
import { didYouMean } from '../../text/nearest.js';
import { withWarnings } from './answers.js';
import { followTask, lookAtTask } from './follow-task.js';
import { type Access, askedOf, type ToolAnswer, type ToolCall } from './mcp-door.js';
import { withTurnContext } from './prompt-session.js';
import { approvalFields, type OwnTask } from './task-answer.js';

export const taskInput = z.strictObject({ task: z.string().describe('As ability_run answered.') });

export const setInput = z.strictObject({
  task: z.string(),
  set: z.record(z.string(), z.unknown()).default({}),
  unset: z.array(z.string()).default([]),
});

export const orderInput = z.strictObject({ tasks: z.array(z.string()).min(1).max(50).describe('In this order.') });

export const resultInput = taskInput.extend({
  wait: z.number().int().min(0).max(50).default(5).describe('Seconds.'),
});

const MAX_READ = 50;

/** `task_status`: the present state of a task. @throws AbilityError `task.not_found`. */
export async function taskStatus(call: ToolCall, { task }: z.output<typeof taskInput>): Promise<ToolAnswer> {
  const connection = await call.loan.connect();
  return lookAtTask(call, connection, await findTask(call, connection, task, 'read'));
}

/** `task_result`: the end of a task, if it comes while the caller waits. @throws AbilityError `task.not_found`. */
export async function taskResult(call: ToolCall, { task, wait }: z.output<typeof resultInput>): Promise<ToolAnswer> {
  const connection = await call.loan.connect();
  const found = await findTask(call, connection, task, 'read');
  const answer = wait === 0 ? lookAtTask(call, connection, found) : followTask(call, connection, found, wait * 1000);
  return withTurnContext(call, connection, await answer);
}

/** `task_set`: changes the input of a task that has not run. @throws AbilityError as `changeInput`. Source: R-000-84. */
export async function setTask(call: ToolCall, { task, set, unset }: z.output<typeof setInput>): Promise<ToolAnswer> {
  const { caller, loan } = call;
  const connection = await loan.connect();
  const { key } = await findTask(call, connection, task, 'run');
  const edit = { set: set as JsonObject, unset, by: caller, caller: 'session' } as const;
  const { fields, input, warnings } = await changeInput(connection, key, edit);
  return withWarnings({ data: { status: 'available', task, changed: fields, input }, isError: false }, warnings);
}

/**
 * `task_run`: runs created tasks one after the other, until one does not succeed or time is up. The same call again
 * goes on from there. @throws AbilityError `task.not_found`; then none has begun. Source: R-000-79, R-000-80.
 */
export async function runTasks(call: ToolCall, { tasks }: z.output<typeof orderInput>): Promise<ToolAnswer> {
  const connection = await call.loan.connect();
  const found: OwnTask[] = [];
  for (const task of tasks) found.push(await findTask(call, connection, task, 'run'));
  const until = Date.now() + call.door.patienceMs;
  const ended: Json[] = [];
  for (const task of found) {
    const { result } = await keepingRuntime(connection, () => viewTask(connection, task.key));
    if (result.status === 'created') await keepingRuntime(connection, () => runTask(connection, task.key));
    const answer = await followTask(call, connection, task, Math.max(until - Date.now(), 0));
    const { status, output = null } = answer.data;
    if (status === 'succeeded') {
      ended.push({ task: task.handle, status, output });
      continue;
    }
    const left = tasks.slice(ended.length + 1);
    const data = {
      ...answer.data,
      ...(answer.open && left.length > 0 && { next: `${answer.data.next} Then call task_run again.` }),
      succeeded: ended,
      ...(left.length > 0 && { not_run: left }),
    };
    return withTurnContext(call, connection, { data, isError: answer.isError });
  }
  return withTurnContext(call, connection, { data: { status: 'succeeded', succeeded: ended }, isError: false });
}

/** `task_cancel`: asks a task to stop. @throws AbilityError `task.not_found`, `task.closed`. */
export async function cancel(call: ToolCall, { task }: z.output<typeof taskInput>): Promise<ToolAnswer> {
  const connection = await call.loan.connect();
  const { key } = await findTask(call, connection, task, 'run');
  await keepingRuntime(connection, () => cancelTask(connection, key));
  const next = 'Its `undo` and `finally` run first; ask for the end with task_result.';
  return { data: { status: 'cancelling', task, next }, isError: false };
}

/** `approvals_list`: what the caller's own tasks wait for. */
export async function listOwnApprovals({ door, visitor, caller, loan }: ToolCall): Promise<ToolAnswer> {
  const { environment } = door;
  const connection = await loan.connect();
  const { tasks: own, isCut } = await listHandled(connection, environment, caller);
  const tasks = own.filter(({ ability }) => isAllowed(visitor.rights, 'read', { ability, environment }));
  const shown = tasks.slice(0, MAX_READ);
  const page = await door.findPage(connection);
  const open = await Promise.all(
    shown.map(async ({ key, handle }) => {
      const approvals = await readApprovals(connection, key).catch(unlessMissing);
      return approvals.map((approval) => ({ task: handle, ...approvalFields(key, approval, door, page) }));
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

/** The caller's own task with this handle, where the right holds. @throws AbilityError `door.forbidden`,
 *  AbilityError `task.not_found`; it names the caller's nearest. */
export async function findTask(
  call: ToolCall,
  connection: Connection,
  handle: string,
  right: Access,
): Promise<OwnTask> {
  const key = await keyOf(call, connection, handle);
  return withinRight(askedOf(call, right), task, { key }, async () => ({ key, handle }));
}

async function keyOf({ caller, door }: ToolCall, connection: Connection, handle: string): Promise<string> {
  try {
    return await findHandled(connection, handle, caller);
  } catch (error) {
    if (!(error instanceof AbilityError) || error.code !== 'task.not_found') throw error;
    const { tasks } = await listHandled(connection, door.environment, caller);
    const handles = tasks.map((task) => task.handle);
    const suggestion = didYouMean(handle, handles);
    if (suggestion === undefined) throw error;
    throw new AbilityError({ ...error.toProblem(), suggestion }, { cause: error });
  }
}
