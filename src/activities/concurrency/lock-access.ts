import type { SlotRequest } from '../../contracts/concurrency.js';

export interface LockEntry {
  /** Workflow id of the lock. */
  lock: string;
  taskQueue: string;
  key: string;
  entry: SlotRequest;
  summary: string;
}

export interface LockAccess {
  /** Enqueues a task; starts the lock if it is not running. */
  enter(entry: LockEntry): Promise<void>;
  /** Removes a task from a lock; a lock that has ended no longer contains it. */
  leave(lock: string, task: Pick<SlotRequest, 'task' | 'run'>): Promise<void>;
  /** Whether the execution is still running, in any run of its chain. */
  isOpen(task: Pick<SlotRequest, 'task' | 'run'>): Promise<boolean>;
}
