import { diffArrays } from 'diff';
import type { Json } from '../contracts/json.js';
import type { Problem, SourceLocation } from '../contracts/problem.js';
import type { TaskState } from '../contracts/states.js';

/** Why a case failed: an unexpected value, unexpected calls, or an error. */
export type CaseFailure =
  | { kind: 'value'; at: string; expected?: Json; actual?: Json }
  | { kind: 'calls'; lines: ListLine[] }
  | { kind: 'problem'; problem: Problem };

/** How one case ended. */
export interface CaseReport {
  ability: string;
  name: string;
  location: SourceLocation;
  status: 'passed' | 'failed';
  duration_ms: number;
  /** Null if its task did not end. */
  task_status: TaskState | 'unavailable' | null;
  failures: CaseFailure[];
  /** What may help to understand a failure: warnings of the task, decisions that did not count. */
  notes: string[];
}

/** How a run of test cases ended. */
export interface TestReport {
  status: 'passed' | 'failed' | 'broken';
  passed: number;
  failed: number;
  duration_ms: number;
  cases: CaseReport[];
  /** Why cases could not be run: each a mistake in a file. */
  problems: Problem[];
}

/** One line of a list that differs from another: in both, only expected, only there. */
export interface ListLine {
  mark: ' ' | '-' | '+';
  text: string;
}

/** Compares two lists. @param textOf shows an item; common items are shown as in the actual list. */
export function compareLists<Item>(
  expected: Item[],
  actual: Item[],
  textOf: (item: Item) => string = String,
  isSame = (left: Item, right: Item): boolean => left === right,
): ListLine[] {
  return diffArrays(expected, actual, { comparator: isSame }).flatMap(({ added, removed, value }) =>
    value.map((item): ListLine => ({ mark: added ? '+' : removed ? '-' : ' ', text: textOf(item) })),
  );
}
