import type { TaskRecord } from '../../contracts/record.js';

/** The log of one attempt of a call, as it is shared. */
export interface SharedLog {
  /** Takes masked lines, which others read some seconds later. */
  append(text: string): void;
  /** Shares the newly appended text. */
  end(): void;
}

/** The shared view of tasks for readers on other machines. Failures are logged and counted, and fail no task. */
export interface TaskShare {
  /** Shares a record; it does not wait for it. */
  planned(record: TaskRecord): void;
  /** Shares the record of a task that has ended, after all that was shared of the task before; it waits a moment. */
  ended(record: TaskRecord): Promise<void>;
  /** A log that is shared while it grows. */
  logOf(task: string, step: string): SharedLog;
  /** The record that any machine has shared; undefined if there is none, or the store cannot be read. */
  read(task: string): Promise<TaskRecord | undefined>;
  /**
   * Removes the shared copies of a task and of those it called. @returns whether any existed. @throws AbilityError
   * `store.not_shared`.
   */
  remove(task: string): Promise<boolean>;
}
