import {
  type Connection,
  keepingRuntime,
  type SeenTask,
  type Source,
  viewOwnTask,
  waitForTask,
} from '../../client/index.js';
import { isEndState } from '../../contracts/states.js';
import type { TaskResult } from '../../contracts/task.js';
import { parseDuration } from '../../rules/duration.js';
import { shapeOf } from '../answers/result-shape.js';
import { reserveWait } from './reserve-wait.js';
import type { HttpCall } from './route.js';

/** Status 200 with the final result, or 202 while the task runs. */
export function answerOf(result: TaskResult): { status: 200 | 202; body: TaskResult } {
  return isEndState(result.status) ? { status: 200, body: shapeOf(result) } : { status: 202, body: waiting(result) };
}

function waiting(result: TaskResult): TaskResult {
  const open = result.approvals.filter(({ status }) => status === 'open').map(({ id }) => id);
  const { task_key } = result;
  if (open.length === 0 || task_key === null) return shapeOf(result);
  const resume = `ability task watch ${task_key}`;
  return shapeOf({ ...result, output: null, waiting: { approvals: open, resume, link: result.links.temporal } });
}

/**
 * Waits for a task as long as requested while the client is connected; never for people. @param wait a duration;
 * left out: no wait. @throws AbilityError `door.too_many` if the caller waits for too many tasks.
 */
export async function waitFor(
  connection: Connection,
  key: string,
  wait: string | undefined,
  { door, caller, signal }: Pick<HttpCall<unknown, unknown, unknown>, 'door' | 'caller' | 'signal'>,
): Promise<TaskResult> {
  const timeoutMs = wait === undefined ? 0 : parseDuration(wait);
  if (timeoutMs === 0) return (await viewOwn(connection, key)).result;
  const leave = reserveWait(door, caller);
  try {
    const { result } = await waitForTask(connection, key, { timeoutMs, approvalMs: 0, signal });
    return result ?? (await viewOwn(connection, key)).result;
  } finally {
    leave();
  }
}

/** Only a task of the door's own project, as tokens open no other. @throws AbilityError as `viewOwnTask`. */
export function viewOwn(connection: Connection, key: string, from?: Source): Promise<SeenTask> {
  return keepingRuntime(connection, () => viewOwnTask(connection, key, from));
}
