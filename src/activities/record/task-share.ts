import type { TaskRecord } from '../../contracts/record.js';

export interface SharedLog {
  /** Appends masked lines; readers elsewhere see them a few seconds later. */
  append(text: string): void;
  /** Shares the newly appended text. */
  end(): void;
}

/** Shares tasks with readers on other machines. Failures are logged and counted; no task fails. */
export interface TaskShare {
  /** Shares a record without waiting for it. */
  planned(record: TaskRecord): void;
  /** Shares the record of an ended task, after everything shared before; waits for it briefly. */
  ended(record: TaskRecord): Promise<void>;
  logOf(task: string, step: string): SharedLog;
  /** The record that any machine has shared; undefined if none exists or the store cannot be read. */
  read(task: string): Promise<TaskRecord | undefined>;
  /** Includes called tasks. @returns whether any copy existed. @throws AbilityError `store.not_shared`. */
  remove(task: string): Promise<boolean>;
}
