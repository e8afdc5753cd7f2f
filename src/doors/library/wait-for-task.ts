import { type WaitEnd, type WaitOptions, waitForTask as wait } from '../../client/index.js';
import type { TaskResult } from '../../contracts/task.js';
import { waitOverHttp } from '../../operations/over-http/wait.js';
import { shownResult } from '../../operations/task-result.js';
import { type Connection, originOf, refuseOverHttp } from './connection.js';

/**
 * Waits until a task ends, or there is a reason to stop waiting: time, an approval, a signal.
 * @throws AbilityError `engine.stuck`, `runtime.stopped`, `task.not_found`.
 */
export async function waitForTask(
  connection: Connection,
  { key }: { key: string },
  options: WaitOptions = {},
): Promise<WaitEnd> {
  const origin = originOf(connection);
  if (!origin.link) return shown(await wait(origin.inner, key, options));
  refuseOverHttp(options, ['onStall']);
  return shown(await waitOverHttp(origin.link, key, options));
}

/** Waits for a task and returns its result, however it ends. {@link waitForTask} can stop waiting. */
export async function awaitResult(connection: Connection, { key }: { key: string }): Promise<TaskResult> {
  const end = await waitForTask(connection, { key });
  if (end.kind !== 'ended') throw new Error(`the wait for ${key} ended as ${end.kind}`);
  return end.result;
}

function shown<End extends WaitEnd>(end: End): End {
  return end.result ? { ...end, result: shownResult(end.result) } : end;
}
