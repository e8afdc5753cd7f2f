import type { StepFiles } from './files.js';
import type { Json } from './json.js';
import type { Problem } from './problem.js';
import type { StepStatus } from './states.js';

/** How one item of a `foreach`, or one turn of a `repeat`, can end. `skipped`: every step in it had a false `if`. */
export type ItemEnd = Exclude<StepStatus, 'pending' | 'running' | 'waiting'>;

/** How an unsuccessful item can end. */
export type FailureEnd = Exclude<ItemEnd, 'succeeded' | 'skipped'>;

/** A range of numbers; both ends are included. */
export type NumberRange = [from: number, to: number];

/** One item of a list: its number, from 0 as in paths and logs, and its label for people. */
export interface ItemName {
  item: number;
  label?: string;
}

/** A turn in which something did not succeed. */
export interface ItemFailure extends ItemName {
  status: FailureEnd;
  /** Path of the unsuccessful step, as log files are named: `hosts/12/check`. */
  path: string;
  /** Attempts of that step; in a retried group, those of the last round. */
  attempts: number;
  /** Attempts of the innermost group with a `retry` around that step; absent: one, or no such group. */
  rounds?: number;
  /** Workflow id of the task that the step called, if any. */
  task?: string;
  /** With the message truncated. */
  error?: Pick<Problem, 'code' | 'message'>;
}

/** Items of a `foreach` or turns of a `repeat` by outcome, over all turns of outer loops. Absent means 0. */
export interface LoopCounts extends Partial<Record<Exclude<ItemEnd, 'succeeded'>, number>> {
  verb: 'foreach' | 'repeat';
  /** Items of the list, or turns begun. */
  total: number;
  succeeded: number;
  /** Only while the loop runs. */
  running?: number;
  now?: ItemName[];
  /** Items that never began; only once the loop has ended. */
  not_run?: number;
  /** Items that succeeded or were skipped, if others did not; absent if that takes too many ranges. */
  done?: NumberRange[];
  /** Skipped items; absent if that takes too many ranges. */
  skipped_items?: NumberRange[];
}

/** A loop's summary of its turns as they end. */
export interface LoopProgress {
  /** Items of the list; absent for a `repeat`, which counts its turns. */
  total?: number;
  ended: Partial<Record<ItemEnd, number>>;
  /** Absent: none, or too many ranges. */
  skipped?: NumberRange[];
  /** The first unsuccessful turns; more severe ones replace others. */
  failures?: ItemFailure[];
  /** Like `turns` of the loop's entry, but of the unsuccessful turns. */
  turns?: Record<string, TurnCount>;
}

/** Outcomes of one step over all turns of a loop. */
export interface TurnCount {
  turns: number;
  /** Total over all turns. */
  attempts: number;
  /** Total milliseconds of turns whose times are unknown. */
  duration_ms: number;
  /** Start of its first turn and end of its last one: milliseconds since 1970. */
  from?: number;
  to?: number;
  /** The most severe status: a failure outranks a success. */
  status: StepStatus;
  error?: Pick<Problem, 'code' | 'message'>;
  /** Number of turns in which it did not succeed; absent: none. */
  failed?: number;
  /** The first failures after which the turn continued; the loop lists those that ended a turn. */
  failures?: ItemFailure[];
  /** Number of failures like those in `failures`. */
  covered?: number;
  /** For a nested loop: outcomes of its own turns. */
  loop?: LoopProgress;
}

/** A step of a loop as it was when it last ran, for the expressions of the next turn. */
export interface LastTurn {
  status: string;
  /** Absent: null. */
  output?: Json;
  /** As expressions see it. Absent: null. */
  error?: Json;
  files?: StepFiles;
  /** Skipped since then: other steps see the skip, its own expressions the other fields. */
  skipped?: true;
}
