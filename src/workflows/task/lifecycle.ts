import { defineSearchAttributeKey, SearchAttributeType } from '@temporalio/common';
import { upsertSearchAttributes } from '@temporalio/workflow';
import type { Problem } from '../../contracts/problem.js';
import type { TaskState } from '../../contracts/states.js';
import type { Handling, TaskStart } from '../../contracts/task.js';

const STATUS = defineSearchAttributeKey('AbilityStatus', SearchAttributeType.KEYWORD);

export class TaskLifecycle {
  state: TaskState = 'created';
  /** Set when the steps have ended, for expressions in `finally`. */
  ending: { status: TaskState; error: Problem | null } | undefined;
  runRequested: boolean;
  startedAt: string | undefined;
  finishedAt: string | undefined;
  cleanupRan: boolean | null = null;
  /** Set while a firing that was asked for ahead waits for its time. ISO 8601. */
  dueAt: string | undefined;
  /** Nothing new starts until the task is resumed. */
  paused: boolean;
  /** Whether this run winds up, to continue as a new one. */
  rollingOver = false;
  /** Number of running calls, guards and clean-ups; an ending run waits for them. */
  pendingWork = 0;
  /** Number of called tasks among them. */
  pendingTasks = 0;
  /** The failure that a handler at the top of the workflow handles. */
  handling: Handling | undefined;
  /** Increases with each change that may end a wait. */
  changes = 0;

  constructor({ run, carried, changed }: TaskStart) {
    this.runRequested = run;
    this.startedAt = carried?.started_at;
    this.paused = carried?.paused ?? changed?.paused ?? false;
    this.handling = carried?.handling;
  }

  /** Shows the state in lists; adds an event. */
  publish(state: TaskState): void {
    this.state = state;
    upsertSearchAttributes([{ key: STATUS, value: state }]);
  }

  /** Makes waits check again. */
  changed(): void {
    this.changes += 1;
  }
}
