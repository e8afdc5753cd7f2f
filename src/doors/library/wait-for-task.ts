import { ApprovalPatience, type WaitEnd, type WaitOptions, waitForTask as wait } from '../../client/index.js';
import { AbilityError } from '../../contracts/problem.js';
import { isEndState } from '../../contracts/states.js';
import type { TaskResult } from '../../contracts/task.js';
import { callDoor } from '../../operations/over-http/call-door.js';
import type { DoorLink } from '../../operations/over-http/door-link.js';
import { shownResult } from '../../operations/task-result.js';
import { sleep } from '../../server/start-timer.js';
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

/** The maximum wait of one request; then the next one follows. */
const LONGEST_WAIT_MS = 60_000;
const WATCHED_WAIT_MS = 1000;
/** The door returns at once from tasks that wait for people, so they are polled at this interval. */
const PEOPLE_MS = 1000;

/** As `waitForTask`; `onProgress` gets only the result. */
async function waitOverHttp(link: DoorLink, key: string, options: WaitOptions): Promise<WaitEnd> {
  const { timeoutMs = Number.POSITIVE_INFINITY, approvalMs, onProgress, signal } = options;
  const deadline = Date.now() + timeoutMs;
  const patience = new ApprovalPatience(approvalMs);
  const max = onProgress || approvalMs !== undefined ? WATCHED_WAIT_MS : LONGEST_WAIT_MS;
  let last: TaskResult | undefined;
  for (let ms = 0; ; ms = Math.min(deadline - Date.now(), max)) {
    if (signal?.aborted) return { kind: 'aborted', result: last };
    const began = Date.now();
    const wait = `${Math.max(0, Math.round(ms))}ms`;
    const result = await callDoor(link, 'readResult', { key, wait }, {}, signal).catch(unlessUnanswered(signal));
    if (result) onProgress?.(result);
    if (result && isEndState(result.status)) return { kind: 'ended', result };
    last = result ?? last;
    if (result && patience.hasEnded(result)) return { kind: 'approval', result };
    if (Date.now() >= deadline) return { kind: 'timeout', result: last };
    const rest = Math.min(ms, PEOPLE_MS) - (Date.now() - began);
    if (rest > 0) await sleep(rest, signal);
  }
}

/** Undefined while no worker answers, since the task goes on once one does; and when the caller stops waiting. */
function unlessUnanswered(signal: AbortSignal | undefined): (error: unknown) => undefined {
  return (error) => {
    if (signal?.aborted || (error instanceof AbilityError && error.code === 'worker.unavailable')) return undefined;
    throw error;
  };
}
