import { AbilityError } from '../../contracts/problem.js';
import { isEndState } from '../../contracts/states.js';
import type { TaskResult } from '../../contracts/task.js';
import { sleep } from '../../server/start-timer.js';
import { ApprovalPatience } from '../watch/refuse-stuck.js';
import type { WaitEnd, WaitOptions } from '../watch/wait-for-task.js';
import { type HttpConnection, refuseGiven } from './http-connection.js';
import { pathOf, viewTask } from './tasks.js';

/** The maximum wait of one request; then the next one follows. */
const LONGEST_WAIT_MS = 60_000;
const WATCHED_WAIT_MS = 1000;
/** The door returns at once from tasks that wait for people, so they are polled at this interval. */
const PEOPLE_MS = 1000;

export async function awaitResult(connection: HttpConnection, id: string): Promise<TaskResult> {
  const end = await waitForTask(connection, id, {});
  if (end.kind !== 'ended') throw new Error(`the wait for ${id} ended as ${end.kind}`);
  return end.result;
}

/** As `waitForTask`; `onProgress` gets only the result. */
export async function waitForTask(connection: HttpConnection, id: string, options: WaitOptions): Promise<WaitEnd> {
  refuseGiven('waitForTask', options, ['onStall']);
  const { timeoutMs = Number.POSITIVE_INFINITY, approvalMs, onProgress, signal } = options;
  const deadline = Date.now() + timeoutMs;
  const patience = new ApprovalPatience(approvalMs);
  const max = onProgress || approvalMs !== undefined ? WATCHED_WAIT_MS : LONGEST_WAIT_MS;
  for (let last: TaskResult | undefined; ; ) {
    if (signal?.aborted) return { kind: 'aborted', result: last };
    const result = (await viewTask(connection, id).catch(unlessUnanswered))?.result;
    if (result) onProgress?.(result);
    if (result && isEndState(result.status)) return { kind: 'ended', result };
    last = result ?? last;
    if (result && patience.hasEnded(result)) return { kind: 'approval', result };
    const left = deadline - Date.now();
    if (left <= 0) return { kind: 'timeout', result: last };
    await untilChanged(connection, id, Math.min(left, max), signal);
  }
}

/** Undefined while no worker answers: the task goes on once one does. */
function unlessUnanswered(error: unknown): undefined {
  if (error instanceof AbilityError && error.code === 'worker.unavailable') return undefined;
  throw error;
}

/** Waits until the task ends, the time is up, or the signal fires. */
async function untilChanged(
  { http }: HttpConnection,
  id: string,
  ms: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const began = Date.now();
  try {
    const { body } = await http.ask('GET', `${pathOf(id)}/result`, {
      query: { wait: `${Math.max(1, Math.round(ms))}ms` },
      signal,
    });
    if (isEndState((body as unknown as TaskResult).status)) return;
  } catch (error) {
    if (signal?.aborted) return;
    unlessUnanswered(error);
  }
  const rest = Math.min(ms, PEOPLE_MS) - (Date.now() - began);
  if (rest > 0) await sleep(rest, signal);
}
