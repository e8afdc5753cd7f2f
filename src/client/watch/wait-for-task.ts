import { setMaxListeners } from 'node:events';
import { isEndState } from '../../contracts/states.js';
import type { TaskResult, TaskView } from '../../contracts/task.js';
import { anyAbortSignal, endsWithin } from '../../rules/any-abort-signal.js';
import { unlessAborted } from '../../rules/unless-aborted.js';
import { sleep, startTimer } from '../../server/start-timer.js';
import type { Connection } from '../connection/connect.js';
import { isUnreachable, reviveRuntime, untilRuntimeEnds } from '../connection/keep-runtime.js';
import { asking } from '../connection/temporal-errors.js';
import { awaitResult } from '../view/read-result.js';
import { type OpenTask, queryOpenTask } from '../view/view-task.js';
import { type Stall, StallWatch } from './find-stall.js';
import { ApprovalPatience, refuseNotBegun, refuseStuck } from './refuse-stuck.js';
import { AttemptWatch, type CallAttempt } from './watch-attempts.js';

/** How to wait for a task. Times are milliseconds. */
export interface WaitOptions {
  /** The maximum wait; the task continues. */
  timeoutMs?: number | undefined;
  /** The maximum wait for an approval; restarts with each decision. Undefined: unlimited. */
  approvalMs?: number | undefined;
  /** Called with the state of the task, whenever it may have changed; `now` is known while it is open. */
  onProgress?: (result: TaskResult, now?: TaskNow) => void;
  /** Called once for each new stall. */
  onStall?: (stall: Stall) => void;
  /** It was started with the limit for its begin: the wait ends if no worker takes it up. */
  begins?: boolean;
  /** Ends the wait. */
  signal?: AbortSignal;
}

/** What is known of an open task in addition to its result. */
export interface TaskNow extends OpenTask {
  /** Calls that are being retried. */
  attempts: readonly CallAttempt[];
}

/** Why a wait ended. @typeParam Seen what is known of the task while it is open. */
export type WaitEnd<Seen = TaskResult> =
  | { kind: 'ended'; result: TaskResult }
  | { kind: 'approval'; result: Seen }
  | { kind: 'aborted'; result: Seen | undefined }
  | { kind: 'timeout'; result: Seen | undefined; stall?: Stall | undefined };

/** The first poll comes early, to show short tasks at work; later ones are rare. */
const FIRST_LOOK_MS = 150;
const SLOWEST_LOOK_MS = 1000;
const STUCK_CHECK_MS = 1500;
/** The maximum number of restarts without any news of the task in between. */
const MAX_REVIVALS = 10;
/** Time for ending the calls of a finished wait; the others end with the connection. */
const CLEAN_UP_MS = 500;

/**
 * Waits until a task ends or there is a reason to stop; restarts the project's own runtime if that stops.
 * @throws AbilityError `engine.stuck`, `store.not_shared` if workflow tasks fail repeatedly; `runtime.stopped`;
 * `worker.unavailable` for one that `begins`.
 */
export async function waitForTask(
  connection: Connection,
  id: string,
  options: WaitOptions,
): Promise<WaitEnd<TaskView>> {
  const { timeoutMs, signal } = options;
  const deadline = timeoutMs === undefined ? Number.POSITIVE_INFINITY : Date.now() + timeoutMs;
  const wait = { connection, id, options, since: Date.now(), deadline };
  const state: Wait = { ...wait, last: undefined, stalls: new StallWatch(connection), attempts: [], revivals: 0 };
  return asking(connection, async () => {
    for (;;) {
      const end = await waitOnce(state);
      if (end.kind !== 'runtime ended') return end;
      state.revivals += 1;
      const ended = await reviveInTime(connection, deadline, signal);
      if (ended) return { kind: ended, result: state.last };
    }
  });
}

/** What survives a restart of the runtime. */
interface Wait {
  connection: Connection;
  id: string;
  options: WaitOptions;
  last: TaskView | undefined;
  attempts: CallAttempt[];
  stalls: StallWatch;
  /** Restarts since the last news of the task. */
  revivals: number;
  /** Begin and end of the wait. Milliseconds since 1970. */
  since: number;
  deadline: number;
}

/** Restarts the runtime. @returns why the wait ends, if it does. */
async function reviveInTime(
  connection: Connection,
  deadline: number,
  signal: AbortSignal | undefined,
): Promise<'timeout' | 'aborted' | undefined> {
  const stop = new AbortController();
  const end = (): void => stop.abort();
  signal?.addEventListener('abort', end);
  const stopTimer = startTimer(deadline - Date.now(), end);
  if (signal?.aborted) end();
  try {
    await unlessAborted(reviveRuntime(connection), stop.signal);
    return undefined;
  } catch (error) {
    if (signal?.aborted) return 'aborted';
    if (stop.signal.aborted) return 'timeout';
    throw error;
  } finally {
    stopTimer();
    signal?.removeEventListener('abort', end);
  }
}

/** Waits until the task ends, the wait ends, or the runtime has stopped. */
async function waitOnce(state: Wait): Promise<WaitEnd<TaskView> | { kind: 'runtime ended' }> {
  const { connection, id, options } = state;
  const stop = new AbortController();
  // Each long poll adds a listener, as long as the task runs.
  setMaxListeners(0, stop.signal);
  const ended = connection.temporal
    .withAbortSignal(stop.signal, () => awaitResult(connection, id))
    .then((result): WaitEnd<TaskView> => ({ kind: 'ended', result }));
  const watching = watch(state, stop.signal);
  const attending = attend(state, stop.signal);
  const leaving = untilRuntimeEnds(connection, stop.signal).then(() => ({ kind: 'runtime ended' }) as const);
  try {
    const end = await Promise.race([ended, watching, attending, leaving]);
    if (end.kind === 'ended') options.onProgress?.(end.result);
    return end;
  } catch (error) {
    if (!connection.runtime || !isUnreachable(error) || state.revivals >= MAX_REVIVALS) throw error;
    return { kind: 'runtime ended' };
  } finally {
    stop.abort();
    await endsWithin(CLEAN_UP_MS, Promise.allSettled([ended, watching, attending, leaving]));
  }
}

/** Polls for stalls, even while {@link watch} waits for an answer. */
async function attend(state: Wait, stop: AbortSignal): Promise<{ kind: 'runtime ended' }> {
  const { connection, id } = state;
  const { onStall, onProgress, begins } = state.options;
  const watch = new AttemptWatch(connection);
  for (;;) {
    await sleep(STUCK_CHECK_MS, stop);
    if (stop.aborted) return { kind: 'runtime ended' };
    const { raw } = await look(connection, stop, () => connection.temporal.workflow.getHandle(id).describe());
    await look(connection, stop, () => refuseStuck(connection, id, raw));
    if (begins) refuseNotBegun(id, raw, state.since);
    for (const stall of await look(connection, stop, () => state.stalls.look(id, raw))) onStall?.(stall);
    const progress = state.last?.progress;
    if (onProgress && progress) state.attempts = await look(connection, stop, () => watch.look({ id, raw, progress }));
  }
}

/** Polls an open task until it ends or the wait does. */
async function watch(state: Wait, stop: AbortSignal): Promise<WaitEnd<TaskView>> {
  const { connection, id, deadline } = state;
  const { approvalMs, onProgress, signal } = state.options;
  let pause = FIRST_LOOK_MS;
  const patience = new ApprovalPatience(approvalMs);
  for (;;) {
    await sleep(Math.min(pause, Math.max(0, deadline - Date.now())), stop, signal);
    if (stop.aborted) return { kind: 'aborted', result: state.last };
    if (signal?.aborted) return { kind: 'aborted', result: state.last };
    if (Date.now() >= deadline) return { kind: 'timeout', result: state.last, stall: state.stalls.stall };
    pause = Math.min(pause * 1.3, SLOWEST_LOOK_MS);
    const open = await inTime(deadline, signal, () => look(connection, stop, () => queryOpenTask(connection, id)));
    if (stop.aborted) return { kind: 'aborted', result: state.last };
    const view = open?.view;
    // The worker's view of an ended task has no output; the other wait reads that from the close event.
    if (!open || !view || isEndState(view.status)) continue;
    state.last = view;
    state.revivals = 0;
    onProgress?.(view, { ...open, attempts: state.attempts });
    if (patience.hasEnded(view)) return { kind: 'approval', result: view };
  }
}

/** Stops waiting at the deadline: a query without a worker takes long. */
async function inTime<T>(
  deadline: number,
  signal: AbortSignal | undefined,
  action: () => Promise<T>,
): Promise<T | undefined> {
  const stop = new AbortController();
  const acting = action();
  acting.catch(() => {});
  try {
    const late = sleep(deadline - Date.now(), stop.signal, signal);
    return await Promise.race([acting, late.then(() => undefined)]);
  } finally {
    stop.abort();
  }
}

/** Asks once, no longer than the caller waits. The client never stops listening to the signal of a call. */
async function look<T>(connection: Connection, stop: AbortSignal, action: () => Promise<T>): Promise<T> {
  const { signal, release } = anyAbortSignal([stop]);
  try {
    return await connection.temporal.withAbortSignal(signal, action);
  } finally {
    release();
  }
}
