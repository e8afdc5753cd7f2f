import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { upsertSearchAttributes } from '@temporalio/workflow';
import type { Problem } from '../../contracts/problem.js';
import type { TaskState } from '../../contracts/states.js';
import type { Handling, TaskStart } from '../../contracts/task.js';

const STATUS = defineSearchAttributeKey('AbilityStatus', SearchAttributeType.KEYWORD);

/** How far a task has come, and whether it may start anything new. */
export class TaskLife {
  state: TaskState = 'created';
  /** Set once the steps are done, for the expressions of `finally`. */
  ending: { status: TaskState; error: Problem | null } | undefined;
  runRequested: boolean;
  startedAt: string | undefined;
  finishedAt: string | undefined;
  cleanupRan: boolean | null = null;
  /** Nothing new starts until the task is resumed. */
  paused: boolean;
  /** Whether this run winds up, to continue as a new one. */
  rollingOver = false;
  /** Calls, guards and clean-ups at work: a run that winds up waits for their ends. */
  atWork = 0;
  /** Number of those that are tasks called by this one. */
  called = 0;
  /** The failure that a handler at the top of the workflow handles. */
  handling: Handling | undefined;
  /** Grows with everything that a wait may be waiting for. */
  changes = 0;

  constructor({ run, carried, changed }: TaskStart) {
    this.runRequested = run;
    this.startedAt = carried?.started_at;
    this.paused = carried?.paused ?? changed?.paused ?? false;
    this.handling = carried?.handling;
  }

  /** Enters a state that lists must show. Each one is an event. Source: docs/architecture.md#what-lives-where-in-temporal. */
  publish(state: TaskState): void {
    this.state = state;
    upsertSearchAttributes([{ key: STATUS, value: state }]);
  }

  /** Something happened: waits check again. */
  changed(): void {
    this.changes += 1;
  }
}
