import type { CallContext } from './activities.js';
import type { AuditEvent } from './audit.js';
import type { CallsMade, StepsDone } from './calls-made.js';
import type { Seal } from './seal.js';
import type { TaskStart } from './task.js';
import type { HookSpan, StepSpan } from './traces.js';

/**
 * Reports of a workflow to its worker, outside of its history. They come from the worker's own sandbox, before any
 * activity of the run can begin; no other process can send them.
 */
export type RunSinks = {
  runs: {
    /** @param task null for a workflow of ours that is not a task. */
    begun(task: BegunTask | null): void;
    /** A task is about to close: its record is written before the server learns of it. */
    ended(task: EndedTask): void;
    /** More facts for the record of a task, which its local activity is about to write. */
    told(task: TaskReport): void;
    /** A task or a call has ended, for the log of the worker. */
    logged(end: LoggedEnd): void;
    /** For the audit log: the workflow goes on once it is written. @param isPlanned whether the sealed plan says so; else the project does. */
    audited(event: AuditEvent, isPlanned: boolean): void;
  };
};

/** Reports of a workflow for traces, if the worker writes any; outside of its history, too. */
export type SpanSinks = {
  traces: {
    step(step: StepSpan): void;
    /** The workflow itself answered a hook. */
    hook(hook: HookSpan): void;
  };
};

/** A line of the worker's log. */
export interface LoggedEnd {
  /** Of a task its own ability, of a call the called one. */
  ability: string;
  /** Path of the step; absent for a task. */
  step?: string;
  state: string;
  /** Of the error; absent without one. */
  code?: string;
  duration_ms: number;
}

/** The start of a task, as far as its activities need it. */
export type TaskOrigin = Pick<TaskStart, 'user' | 'session'> & {
  seal: Seal;
  /** Trace context of the original request as W3C `traceparent`; absent: none was sent. */
  trace?: string;
};

/** The start of a task's run. */
export interface BegunTask extends TaskOrigin {
  /** For a called task: the ability id of its workflow. */
  child?: string;
}

/** Facts for the record of a task that only its workflow knows. */
export interface TaskReport {
  /** When its first run was started. ISO 8601. */
  created_at: string;
  calls?: CallsMade;
  /** Its other steps; absent if none occurred. */
  steps?: StepsDone;
}

/** The end of a task whose record is written outside of its history. */
export interface EndedTask extends CallContext, TaskReport {
  /** Its `TaskResult` as JSON, which is cheaper to pass than the object. */
  result: string;
  /** Its input as JSON; read only if the record made at creation is missing. */
  input: string;
}
