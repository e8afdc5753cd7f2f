import type { TaskResult } from '../operations/task-result.js';
import type { JsonObject } from './json.js';
import type { StepWait } from './task-parts.js';
import type { Progress } from './task-progress.js';

export type * from './task-carried.js';
export type * from './task-input.js';
export type * from './task-parts.js';
export type * from './task-progress.js';
export type * from './task-start.js';
export type { TaskResult };

/** Result of `create`. Source: R-000-71 to R-000-73. */
export type CreateAnswer =
  | { status: 'available'; task_key: string; warnings: string[] }
  | { status: 'unavailable'; code: string; reason: string; suggestion: string | null };

/** Memo of a task's workflow: data for lists that need no worker. Set by our clients, else by the task itself. */
export interface TaskMemo {
  ability: string;
  /** As the definitions of the client say; absent: it had none. The result has that of the plan. */
  version?: number | string;
  environment: string;
  requested_by: string;
  /** The agent that requested it for this person. */
  agent?: string;
  /** Proves that a caller is the requester of the task; random. */
  handle?: string;
  /** Trace context of the request, as W3C `traceparent` has it. */
  trace?: string;
  parent?: string;
  retry_of?: string;
  intent?: string;
  changed?: { by: string; at: string };
  /** It runs only if its client agrees to what its preflight resolved. */
  held?: true;
  /** See `PreflightRequest`. */
  again?: true;
  [key: string]: unknown;
}

/** Result of the `task` query. */
export interface TaskView extends TaskResult {
  created_at: string;
  input: JsonObject;
  summary: string;
  progress: Progress;
  /** Whether nothing new is started until the task is resumed. */
  paused: boolean;
  /** Waits of its steps, besides calls and people; omitted if none. */
  waits?: StepWait[];
}
