import type { CallContext } from './activities.js';
import type { Seal } from './seal.js';
import type { TaskStart } from './task.js';

/**
 * What a workflow reports to the worker that runs it, outside of its history: so that this worker knows its own runs.
 *
 * The worker's own sandbox reports it, before any activity of the run can begin; no other process can.
 */
export type RunSinks = {
  runs: {
    /** @param task null for a workflow of ours that is no task. */
    begun(task: BegunTask | null): void;
    /** A task is about to close: its record is written before the server hears of it. */
    ended(task: EndedTask): void;
  };
};

/** What a task was started with, as far as its activities need it. */
export type TaskOrigin = Pick<TaskStart, 'user' | 'session'> & { seal: Seal };

/** The start of a task's run. */
export interface BegunTask extends TaskOrigin {
  /** The workflow it is, where another task called it. */
  child?: string;
  /** The plan as JSON: one text is handed over faster than what it stands for, and is read only where it is not known. */
  plan: string;
}

/** The end of a task whose record is written outside of its history. */
export interface EndedTask extends CallContext {
  /** Its `TaskResult`, as JSON: one text is handed over faster than what it stands for. */
  result: string;
  /** Its input, as JSON; read only where the record that was made at creation is not there. */
  input: string;
}
