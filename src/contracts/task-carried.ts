import type { AgentGrant, AgentUsage } from './agent.js';
import type { Approval, DecisionOutcome } from './approvals.js';
import type { CallMade } from './calls-made.js';
import type { SlotAsk, Turn } from './concurrency.js';
import type { TaskFile } from './files.js';
import type { HookAnswer } from './hooks.js';
import type { Json } from './json.js';
import type { AppliedEdit, ChangesLeft, InputChange } from './task-input.js';
import type { Rollback } from './task-parts.js';
import type { Handling } from './task-progress.js';

/** Additional start arguments of a child workflow. */
export interface ChildStart {
  ability: string;
  /** Milliseconds its caller has left. */
  left_ms: number;
  /** Names of those who changed the input of the root. */
  changed_by?: string[];
  /** Digests of the files in its input that its caller has: it inherits no others. Omitted: none. */
  files?: string[];
  /** Bytes that its files may take; omitted: the task's whole allowance. */
  file_room?: number;
  /** Limits and callable abilities granted by the surrounding agent; absent: none surrounds it. */
  agent?: AgentGrant;
  /** See {@link Held}. */
  held?: Held;
}

/** Queue of the worker that holds the MCP sessions of a task; null: they are lost. Absent: none was opened. */
export type Held = string | null;

/** State that a created task carries over to the run that begins with its new input. Source: C-37. */
export interface Changed {
  changes: InputChange[];
  left?: ChangesLeft;
  /** Updates already applied; the server may deliver one to the next run again. */
  applied: AppliedEdit[];
  signals: ReceivedSignal[];
  paused: boolean;
}

/** State that a task carries over to a new run. */
export interface Carried {
  started_at: string;
  approvals: Approval[];
  /** Outcomes of the decisions that came with an id, by it. */
  decided?: Record<string, DecisionOutcome>;
  hooks: HookAnswer[];
  signals: ReceivedSignal[];
  /** Milliseconds of working time used up. */
  used_ms: number;
  calls: number;
  sequence: number;
  paused: boolean;
  /** For a workflow: usage of the agents that it called. Absent: it called none. */
  agents?: AgentUsage;
  turn?: Turn;
  slot?: SlotAsk;
  /** Set while a handler at the top of the workflow handles a failure. */
  handling?: Handling;
  /** The calls of earlier runs that the record of the task lists, and the number of those beyond the first ones. */
  made?: CarriedCalls;
  /** Number of steps without calls that ended in loops; absent: none. */
  steps_in_turns?: number;
  /** Number of hook answers and warnings that were dropped; absent: none. */
  left?: { answers: number; warnings: number };
  files?: TaskFile[];
  /** What called tasks that failed have undone; absent: none was to undo anything. */
  rollbacks?: Rollback[];
  /** See {@link Held}. */
  held?: Held;
}

/** Calls of earlier runs of a task, for its record. */
export interface CarriedCalls {
  listed: CallMade[];
  /** Number of those listed only because they failed. */
  failures: number;
}

/** A signal that no wait has taken yet. */
export interface ReceivedSignal {
  name: string;
  payload: Json;
}
