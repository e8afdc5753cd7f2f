import type { FileHolds, HoldingTask } from './file-holds.js';
import type { Store } from './store.js';

/** End of a task: still open, ended then, or unknown to the server. */
export type TaskEnd = 'open' | 'unknown' | Date;

/** Facts that decide which files may be removed. */
export interface Collection {
  holds: FileHolds;
  store: Pick<Store, 'listFiles' | 'removeHalfWritten'>;
  endOf: (task: string) => Promise<TaskEnd>;
  /** How long files are kept after the end of their task, in milliseconds. */
  keepMs: number;
  now: Date;
}

/** Result of a collection. */
export interface Collected {
  /** Tasks that hold nothing any more. */
  tasks: number;
  files: number;
}

/** A file that no task holds may be about to be held; a store may say an earlier moment of the day before. */
const UNHELD_MS = 48 * 60 * 60_000;
const HALF_WRITTEN_MS = 24 * 60 * 60_000;

/**
 * Releases the files of tasks that ended long ago, and removes those that no task of any project holds.
 *
 * It may be interrupted, and several workers may do it at once. A task that the server has forgotten ended after it
 * last took up a file, so its time counts from there.
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
  // A hold begun since then belongs to a task that cannot have ended before.
  if (since > limit) return false;
  const end = await endOf(task);
  if (end === 'open') return false;
  return end === 'unknown' || end < limit;
}
