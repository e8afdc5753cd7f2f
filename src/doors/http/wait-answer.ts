import { type Connection, type WaitEnd, waitForTask } from '../../client/index.js';
import { isEndState } from '../../contracts/states.js';
import type { TaskResult } from '../../contracts/task.js';
import { parseDuration } from '../../rules/duration.js';
import { shapeOf } from '../answers/result-shape.js';
import { viewOwn } from './view-own.js';

/** A result and whether it is final: 200, or 202 while the task goes on. */
export function answerOf(result: TaskResult): { status: 200 | 202; body: TaskResult } {
  return isEndState(result.status) ? { status: 200, body: shapeOf(result) } : { status: 202, body: waiting(result) };
}

/** A task that waits for people says for which approvals. */
function waiting(result: TaskResult): TaskResult {
  const open = result.approvals.filter(({ status }) => status === 'open').map(({ id }) => id);
  const { task_key } = result;
  if (open.length === 0 || task_key === null) return shapeOf(result);
  const resume = `ability task watch ${task_key}`;
  return shapeOf({ ...result, output: null, waiting: { approvals: open, resume, link: result.links.temporal } });
}

/**
 * Waits for a task, no longer than was asked for, and no longer than somebody waits for the answer; not at all where it waits
 * for people.
 *
 * @param wait a duration; left out: how it stands now.
 */
export async function waitFor(
  connection: Connection,
  key: string,
  wait: string | undefined,
  signal: AbortSignal,
): Promise<TaskResult> {
  const timeoutMs = wait === undefined ? 0 : parseDuration(wait);
  const end: WaitEnd | undefined =
    timeoutMs === 0 ? undefined : await waitForTask(connection, key, { timeoutMs, approvalMs: 0, signal });
  return end?.result ?? (await viewOwn(connection, key)).result;
}
