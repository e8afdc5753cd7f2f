import { type Client, type WorkflowHandle, WorkflowNotFoundError } from '@temporalio/client';
import { millisecondsOf, type Timestamp } from './test-clock.js';
import { readUnfinished, type Unfinished } from './unfinished.js';

export interface PendingWork {
  /** The task and its open children, by workflow id; none once the task has ended. */
  open: string[];
  /** Whether work continues without moving the clock. */
  isBusy: boolean;
  /** Time of the next timer or attempt, ms since 1970; undefined: none. */
  wakesAt: number | undefined;
  /** The repeated error of the workflow code; undefined if there is none. */
  fault: string | undefined;
  /** Workflow ids of locks that the workflows wait for. */
  locks: string[];
}

/** A task that waits for its turn is busy until its lock is idle: then all events are in the histories. */
export async function findPendingWork(client: Client, task: string): Promise<PendingWork> {
  const seen = await look(client, task);
  if (seen.isBusy || seen.locks.length === 0) return seen;
  const atWork = await Promise.all(seen.locks.map((lock) => isAtWork(client.workflow.getHandle(lock))));
  return atWork.includes(true) ? { ...seen, isBusy: true } : look(client, task);
}

async function isAtWork(lock: WorkflowHandle): Promise<boolean> {
  const { isClosed, hasWorkflowTask, sent } = readUnfinished(await lock.fetchHistory());
  return !isClosed && (hasWorkflowTask || sent.size > 0);
}

async function look(client: Client, task: string): Promise<PendingWork> {
  const handle = client.workflow.getHandle(task);
  const unfinished = readUnfinished(await handle.fetchHistory());
  if (unfinished.isClosed) return { open: [], isBusy: false, wakesAt: undefined, fault: undefined, locks: [] };
  const retries = unfinished.activities.size > 0 ? await findRetries(handle, unfinished) : { isBusy: false, due: [] };
  const own: PendingWork = {
    open: [task],
    isBusy: unfinished.hasWorkflowTask || retries.isBusy,
    wakesAt: earliest([...unfinished.timers.values(), ...retries.due]),
    fault: unfinished.fault,
    locks: unfinished.lock === undefined ? [] : [unfinished.lock],
  };
  const children = await Promise.all([...unfinished.children.values()].map((child) => findChildWork(client, child)));
  return children.reduce(
    (all, child): PendingWork => ({
      open: [...all.open, ...child.open],
      // A missing child is about to start, and the end of a closed one is about to reach its parent.
      isBusy: all.isBusy || child.isBusy || child.open.length === 0,
      wakesAt: earliest([all.wakesAt, child.wakesAt]),
      fault: all.fault ?? child.fault,
      locks: [...all.locks, ...child.locks],
    }),
    own,
  );
}

async function findChildWork(client: Client, child: string): Promise<PendingWork> {
  try {
    return await look(client, child);
  } catch (error) {
    if (!(error instanceof WorkflowNotFoundError)) throw error;
    return { open: [], isBusy: true, wakesAt: undefined, fault: undefined, locks: [] };
  }
}

function earliest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length > 0 ? Math.min(...known) : undefined;
}

/** Due times of retries; any other pending activity is running. */
async function findRetries(
  handle: WorkflowHandle,
  { activities }: Unfinished,
): Promise<{ isBusy: boolean; due: number[] }> {
  const { raw } = await handle.describe();
  const due: number[] = [];
  let isBusy = false;
  for (const { activityId, attempt, lastStartedTime, lastAttemptCompleteTime } of raw.pendingActivities ?? []) {
    const ended = millisecondsOf(lastAttemptCompleteTime as Timestamp | null);
    const waits = ended > 0 && ended >= millisecondsOf(lastStartedTime as Timestamp | null);
    const backoff = activities.get(activityId ?? '');
    if (waits && backoff) due.push(ended + backoff(attempt ?? 2));
    else isBusy = true;
  }
  // An activity in the history that the server no longer lists has just ended; its workflow task comes next.
  return { isBusy: isBusy || due.length === 0, due };
}
