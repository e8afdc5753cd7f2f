import { setMaxListeners } from 'node:events';
import type { TaskResult } from '../contracts/task.js';
import { ApprovalPatience } from './approval-patience.js';
import type { Session } from './connect.js';
import { awaitResult } from './read-result.js';
import { refuseStuck } from './refuse-stuck.js';
import { asking } from './temporal-errors.js';
import { queryTask } from './view-task.js';

/** How to wait for a task. Times are milliseconds. */
export interface WaitOptions {
  /** Stop waiting after this long; the task goes on. */
  timeoutMs?: number | undefined;
  /** Stop waiting when the task has waited for an approval this long, from its last decision on; undefined: wait on. */
  approvalMs?: number | undefined;
  /** Told how the task stands, whenever it may have changed. */
  onProgress?: (result: TaskResult) => void;
  /** Stops the waiting. */
  signal?: AbortSignal;
}

/** Why waiting ended. */
export type WaitEnd =
  | { kind: 'ended'; result: TaskResult }
  | { kind: 'approval'; result: TaskResult }
  | { kind: 'timeout' | 'aborted'; result: TaskResult | undefined };

/** First looks come quickly, so that a short task is seen at work; later ones cost next to nothing. */
const FIRST_LOOK_MS = 150;
const SLOWEST_LOOK_MS = 1000;
const STUCK_CHECK_MS = 2000;

/**
 * Waits until a task ends, or until there is a reason to stop waiting.
 *
 * @throws AbilityError `engine.stuck` or `store.not_shared` when workflow tasks fail again and again.
 */
export async function waitForTask(session: Session, id: string, options: WaitOptions): Promise<WaitEnd> {
  return asking(session, async () => {
    const stop = new AbortController();
    // Each of its long polls listens on, for as long as the task runs.
    setMaxListeners(0, stop.signal);
    // A poll that outlives its connection would be tried again on a closed channel, and nobody could catch that.
    const ended = session.temporal
      .withAbortSignal(stop.signal, () => awaitResult(session, id))
      .then((result): WaitEnd => ({ kind: 'ended', result }));
    const watching = watch(session, id, options, stop.signal);
    try {
      const end = await Promise.race([ended, watching]);
      if (end.kind === 'ended') options.onProgress?.(end.result);
      return end;
    } finally {
      stop.abort();
      await Promise.allSettled([ended, watching]);
    }
  });
}

/** Looks at a running task until one of the other reasons to stop comes true, or nobody waits any more. */
async function watch(session: Session, id: string, options: WaitOptions, stop: AbortSignal): Promise<WaitEnd> {
  const { timeoutMs, approvalMs, onProgress, signal } = options;
  const deadline = timeoutMs === undefined ? Number.POSITIVE_INFINITY : Date.now() + timeoutMs;
  let pause = FIRST_LOOK_MS;
  let nextStuckCheck = Date.now() + STUCK_CHECK_MS;
  const patience = new ApprovalPatience(approvalMs);
  let last: TaskResult | undefined;
  for (;;) {
    await sleep(Math.min(pause, Math.max(0, deadline - Date.now())), stop, signal);
    if (stop.aborted) return { kind: 'aborted', result: last };
    if (signal?.aborted) return { kind: 'aborted', result: last };
    if (Date.now() >= deadline) return { kind: 'timeout', result: last };
    pause = Math.min(pause * 1.3, SLOWEST_LOOK_MS);
    if (Date.now() >= nextStuckCheck) {
      await look(session, stop, () => refuseStuck(session, id));
      nextStuckCheck = Date.now() + STUCK_CHECK_MS;
    }
    const view = await look(session, stop, () => queryTask(session, id));
    if (stop.aborted) return { kind: 'aborted', result: last };
    if (!view) continue;
    last = view;
    onProgress?.(view);
    if (patience.hasEnded(view)) return { kind: 'approval', result: view };
  }
}

/** Asks once, and no longer than somebody waits. The client never stops listening to the signal of a call. */
async function look<T>(session: Session, stop: AbortSignal, action: () => Promise<T>): Promise<T> {
  const own = new AbortController();
  const abort = (): void => own.abort();
  stop.addEventListener('abort', abort);
  try {
    return await session.temporal.withAbortSignal(own.signal, action);
  } finally {
    stop.removeEventListener('abort', abort);
  }
}

/** Sleeps, or wakes when one of the signals fires. */
function sleep(ms: number, ...signals: (AbortSignal | undefined)[]): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(wake, ms);
    for (const signal of signals) signal?.addEventListener('abort', wake);
    function wake(): void {
      clearTimeout(timer);
      for (const signal of signals) signal?.removeEventListener('abort', wake);
      resolve();
    }
  });
}
