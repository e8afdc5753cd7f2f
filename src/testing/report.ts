import type { Json } from '../contracts/json.js';
import type { Problem, SourceLocation } from '../contracts/problem.js';
import type { TaskState } from '../contracts/states.js';
import type { ListLine } from './differences.js';

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
