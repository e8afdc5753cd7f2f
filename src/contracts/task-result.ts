import type { AgentUsage } from './agent.js';
import type { Approval } from './approvals.js';
import type { Caller, Person } from './callers.js';
import type { Turn } from './concurrency.js';
import type { TaskFile } from './files.js';
import type { HookAnswer } from './hooks.js';
import type { Json, JsonObject } from './json.js';
import type { ItemFailure, LoopCounts } from './loops.js';
import type { Problem } from './problem.js';
import type { StepStatus, TaskState } from './states.js';
import type { InputChange } from './task-input.js';
import type { Handling, Progress } from './task-progress.js';

/** One step in a result. */
export interface StepSummary {
  id: string;
  /** Unique where ids repeat, such as in a loop. */
  path: string;
  call: string | null;
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

/** The outcome of a task, the same for every door. Source: docs/operations.md#the-runtime-of-a-project. */
export interface TaskResult extends Rollback {
  status: TaskState;
  task_key: string | null;
  ability_id: string;
  version: number | string;
  digest: string;
  environment: string;
  output: Json;
  error: Problem | null;
  warnings: string[];
  steps: StepSummary[];
  approvals: Approval[];
  hooks: HookAnswer[];
  requested_by: Person;
  /** Who started it: a person, CI, an agent, a session or another task; omitted if unknown. */
  caller?: Caller;
  started_at: string | null;
  finished_at: string | null;
  /** Whether the `finally` steps ran; null if there are none. */
  cleanup_ran: boolean | null;
  links: { temporal: string | null; record: string | null };
  /** Purpose of the task, in the requester's words; omitted if they gave none. */
  intent?: string;
  changes?: InputChange[];
  /** Number of changes not in {@link changes}, between the first and the latest; omitted if zero. */
  changes_left?: number;
  /** For a called task: its working time, which counts as the caller's. */
  worked_ms?: number;
  /** Usage of an agent with the agents that it called; for a workflow, of the agents that it called. */
  agent?: AgentUsage;
  /** For a called task: whether the author declared that an answer means its failure, see {@link Handling}. */
  answer?: true;
  concurrency?: Turn;
  /** The files of the task, in the order in which it got them; omitted if none. */
  files?: TaskFile[];
  /** Name of its project, if not the reader's. */
  project?: string;
  /** Set while the state is not final: what the task waits for and how to continue. */
  waiting?: { approvals: string[]; resume: string; link: string | null };
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
