import type { FileHolds, HoldingTask } from './file-holds.js';
import type { Store } from './store.js';

/** When a task ended; `unknown`: the server does not know the task. */
export type TaskEnd = 'open' | 'unknown' | Date;

export interface Collection {
  holds: FileHolds;
  store: Pick<Store, 'listFiles' | 'removeHalfWritten'>;
  endOf: (task: string) => Promise<TaskEnd>;
  /** How long files are kept after the end of their task, in milliseconds. */
  keepMs: number;
  now: Date;
}

export interface Collected {
  /** Number of tasks whose files were released. */
  tasks: number;
  files: number;
}

/** A task may be about to hold an unheld file; a store may report times up to 24 hours early. */
const UNHELD_MS = 48 * 60 * 60_000;
const HALF_WRITTEN_MS = 24 * 60 * 60_000;

/**
 * Releases the files of tasks that ended long ago, and removes files that no task of any project holds. Several
 * workers may do so at once, and be interrupted. Tasks forgotten by the server count from their last hold.
 */
export async function collectFiles({ holds, store, endOf, keepMs, now }: Collection): Promise<Collected> {
  const before = (ms: number): Date => new Date(now.getTime() - ms);
  let [tasks, files] = [0, 0];
  for (const held of await holds.holdingTasks()) {
    if (!(await isOver(held, before(keepMs), endOf))) continue;
    files += await holds.release(held.task);
    tasks += 1;
  }
  for await (const { sha256, keptAt } of store.listFiles()) {
    if (keptAt < before(UNHELD_MS) && (await holds.removeUnheld(sha256))) files += 1;
  }
  await store.removeHalfWritten(before(HALF_WRITTEN_MS));
  return { tasks, files };
}

async function isOver({ task, since }: HoldingTask, limit: Date, endOf: Collection['endOf']): Promise<boolean> {
  // A task with a newer hold cannot have ended before the limit.
  if (since > limit) return false;
  const end = await endOf(task);
  if (end === 'open') return false;
  return end === 'unknown' || end < limit;
}
