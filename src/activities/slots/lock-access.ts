import type { SlotRequest } from '../../contracts/concurrency.js';

/** How a task comes into the line of a lock. */
export interface LockEntry {
  /** Workflow id of the lock. */
  lock: string;
  taskQueue: string;
  key: string;
  entry: SlotRequest;
  /** Description of the lock in lists. */
  summary: string;
}

/** Operations of activities on locks, over the connection of their worker. */
export interface LockAccess {
  /** Enqueues a task, starting the lock if it does not run. */
  enter(entry: LockEntry): Promise<void>;
  /** Lets a task go; a lock that has ended does not have it any more. */
  leave(lock: string, task: Pick<SlotRequest, 'task' | 'run'>): Promise<void>;
  /** Whether an execution still runs, through all its runs. */
  isOpen(task: Pick<SlotRequest, 'task' | 'run'>): Promise<boolean>;
}
