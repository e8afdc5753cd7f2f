import type { StepFiles } from './files.js';
import type { Json } from './json.js';
import type { Problem } from './problem.js';
import type { StepStatus } from './states.js';

/** How one item of a `foreach`, or one turn of a `repeat`, can end. `skipped`: every step in it had a false `if`. */
export type ItemEnd = Exclude<StepStatus, 'pending' | 'running' | 'waiting'>;

/** How an item can end that did not succeed. */
export type FailureEnd = Exclude<ItemEnd, 'succeeded' | 'skipped'>;

/** Numbers from one to another, both among them. */
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
  /** The message is cut. */
  error?: Pick<Problem, 'code' | 'message'>;
}

/**
 * Counts of a `foreach`'s items or a `repeat`'s turns by outcome. Absent means 0.
 *
 * For a nested loop, the counts cover all turns of the outer one.
 */
export interface LoopCounts extends Partial<Record<Exclude<ItemEnd, 'succeeded'>, number>> {
  verb: 'foreach' | 'repeat';
  /** Items of the list, or turns begun. */
  total: number;
  succeeded: number;
  /** Under way; while the loop has not ended. */
  running?: number;
  /** The first items under way. */
  now?: ItemName[];
  /** Once the loop has ended: items that never began. */
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
  /** The first turns that did not succeed, the gravest kept. */
  failures?: ItemFailure[];
  /** As `turns` of the loop's entry, for the turns that did not succeed. */
  turns?: Record<string, TurnCount>;
}

/** Outcomes of one step over all turns of a loop. */
export interface TurnCount {
  turns: number;
  /** Total of all turns. */
  attempts: number;
  /** Total milliseconds of turns whose times are unknown. */
  duration_ms: number;
  /** When its first turn began and its last one ended: milliseconds since 1970. */
  from?: number;
  to?: number;
  /** The gravest status: a failure before a success. */
  status: StepStatus;
  error?: Pick<Problem, 'code' | 'message'>;
  /** Number of turns in which it did not succeed; absent: none. */
  failed?: number;
  /** The first of them whose turn continued; a failure that ended a turn is in its loop's account. */
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
  /** Files that it produced. Absent: none. */
  files?: StepFiles;
  /** It has been skipped since: other steps see that, its own expressions see the rest. */
  skipped?: true;
}
