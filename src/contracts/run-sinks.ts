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
