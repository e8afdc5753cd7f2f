import type { ItemFailure, LoopCounts } from './loops.js';
import type { Problem } from './problem.js';
import type { StepStatus } from './states.js';

/** One step in a result. */
export interface StepSummary {
  id: string;
  /** Unique where ids repeat, such as in a loop. */
  path: string;
  call: string | null;
  /** The task that it called; omitted in a loop, whose turns may each have one. */
  task?: string;
  status: StepStatus;
  /** In a loop: total over all turns. */
  attempts: number;
  /** In a loop: from the start of its first turn to the end of its last one. */
  duration_ms: number | null;
  /** Number of runs of a step in a loop. */
  turns?: number;
  /** Number of turns in which it did not succeed; omitted if zero. */
  failed_turns?: number;
  /** For a loop: outcomes of its items or turns. */
  items?: LoopCounts;
  /** For a loop: the first unsuccessful turns; for a step in one: the first failures after which its turn continued. */
  failures?: ItemFailure[];
  /** Number of those not in {@link failures}; omitted if zero. */
  failures_left_out?: number;
  /** Why it did not succeed; the message is cut. */
  error?: Pick<Problem, 'code' | 'message'>;
}

/** How much was undone of what was to be. */
export type RolledBack = 'complete' | 'partial' | 'none';

/** A call that was to be undone and was not, or perhaps not. */
export type NotUndone = {
  path: string;
  /** The task whose call it is, if another one was called. */
  task?: string;
  /** The ability that was to undo it. */
  call: string;
  /** `unknown`: it may have been undone. */
  status: StepStatus;
  error: { code: string; message: string };
};

/** What a task that did not succeed has undone; both are omitted if nothing was to be undone. */
export interface Rollback {
  rolled_back?: RolledBack;
  not_undone?: NotUndone[];
}

/** A large output that lives in the store. */
export interface OutputRef {
  $ref: string;
  bytes: number;
}

/** Why a step of an open task waits. Times are ISO 8601. */
export interface StepWait {
  /** Path of the step, or of the loop or group that pauses. */
  path: string;
  /** A signal, a time, a condition, the next attempt of a group, or the next turn of a loop. */
  for: 'signal' | 'time' | 'condition' | 'attempt' | 'turn';
  /** Name of the signal, or text of the condition. */
  what?: string;
  /** For a wait that accepts only some signals of its kind: the text of their condition. */
  condition?: string;
  /** Latest end of the wait; omitted: unlimited. */
  until?: string;
  attempt?: number;
}
