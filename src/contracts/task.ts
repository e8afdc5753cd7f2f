import type { AgentGrant, AgentUsage } from './agent.js';
import type { Approval } from './approvals.js';
import type { Caller } from './callers.js';
import type { CallMade } from './calls-made.js';
import type { SlotAsk, Turn } from './concurrency.js';
import type { TaskFile } from './files.js';
import type { HookAnswer } from './hooks.js';
import type { Json, JsonObject } from './json.js';
import type { Person } from './people.js';
import type { Plan } from './plan.js';
import type { Seal } from './seal.js';
import type { AppliedEdit, ChangesLeft, InputChange } from './task-input.js';
import type { Handling, Progress } from './task-progress.js';

export type * from './task-input.js';
export type * from './task-progress.js';
export type * from './task-result.js';

/** What a client asks for. The key is chosen by the user or made by the client. */
export interface TaskRequest {
  ability: string;
  environment: string;
  input: JsonObject;
  /** Workflow id of the task to be: its key, or `direct:<uuid>`. */
  task: string;
  direct: boolean;
  user: Person;
  session: string | null;
  /** The folder of the project that it is about. */
  scope?: string;
  /** As the client says; preflight does not believe `session` and `child`. */
  caller?: Caller;
  /** What it is for, in the words of the requester; one line. */
  intent?: string;
  /** The run that it is part of, which is a request in plain words. */
  run?: string;
  /** Take over what an earlier task has done, as far as that still holds. */
  retry?: { task: string; from: string | null };
  /** Run nothing but this. */
  plan?: WantedPlan;
}

/** What was looked at before it is run: digests, as 64 hex digits. */
export interface WantedPlan {
  /** Of the plan before its tools are pinned, or as it was sealed with their pins. */
  plan: string;
  /** Of the input with defaults applied; left out: any. */
  input?: string;
}

/** What preflight answers when the task can be formed. */
export interface PreflightAnswer {
  plan: Plan;
  /** Absent where the key is held by this very task, or was: nothing was asked about it, and nothing is to be started. */
  seal?: Seal;
  /** With defaults applied: what the task will run with. */
  input: JsonObject;
  warnings: string[];
  /** What the hooks before creation said; none where the key was held by a task already. */
  hooks?: HookAnswer[];
  /** Folder of the task's record, on the machine of the worker. */
  record?: string;
  /** Digest of the registry it was resolved from; a caller warns when its own differs. */
  registry: string;
  /** What the task takes over from the one it tries again. */
  progress?: Progress;
  /** This very task has ended, and Temporal has forgotten it; its record has the end. */
  ended?: true;
  /** SHA-256 of the canonical request, so that a caller who joined another's preflight can tell. */
  request: string;
}

/** Argument of a task workflow. */
export interface TaskStart {
  format: 1;
  plan: Plan;
  seal: Seal;
  input: JsonObject;
  user: Person;
  session: string | null;
  /** Run at once, without waiting for the `run` signal. */
  run: boolean;
  warnings: string[];
  /** What the hooks before creation said. */
  hooks?: HookAnswer[];
  /** Of a task that was created to be nothing but this: what a change of its input must keep to. */
  only?: WantedPlan;
  /** What earlier runs of this task have already done. */
  progress?: Progress;
  /** The rest of what an earlier run of this task knew. */
  carried?: Carried;
  /** Set where the input was changed since the task was created. */
  changed?: Changed;
  /** Set where another task calls this workflow: `plan` and `seal` are then the root's. */
  child?: ChildStart;
}

/** What a workflow that another one calls is started with besides. */
export interface ChildStart {
  ability: string;
  /** Milliseconds its caller has left. */
  left_ms: number;
  /** Names of those who changed the input of the root. */
  changed_by?: string[];
  /** Digests of the files in its input that its caller has: it inherits no others. Left out: none. */
  files?: string[];
  /** Bytes that its files may take; left out: all that a task may have. */
  file_room?: number;
  /** What an agent around it lets it use up and call; left out: no agent is around it. */
  agent?: AgentGrant;
}

/** What a created task carries over to the run that begins with its new input. Source: C-37. */
export interface Changed {
  created_at: string;
  changes: InputChange[];
  /** Absent: none. */
  left?: ChangesLeft;
  /** Updates that hold already; the server may bring one to the next run once more. */
  applied: AppliedEdit[];
  signals: ReceivedSignal[];
  paused: boolean;
}

/** What a task carries on to a new run. Source: docs/architecture.md#what-lives-where-in-temporal. */
export interface Carried {
  created_at: string;
  started_at: string;
  approvals: Approval[];
  hooks: HookAnswer[];
  signals: ReceivedSignal[];
  /** Milliseconds of working time used up. */
  used_ms: number;
  calls: number;
  sequence: number;
  paused: boolean;
  /** Of a workflow: what the agents that it called have used up. Absent: it called none. */
  agents?: AgentUsage;
  turn?: Turn;
  slot?: SlotAsk;
  /** Set while a handler at the top of the workflow deals with a failure. */
  handling?: Handling;
  /** The calls of earlier runs that the record of the task lists, and how many of them are beyond the first that it lists. */
  made?: CarriedCalls;
  /** How many steps without calls ended in loops; absent: none. */
  steps_in_turns?: number;
  /** How many answers of hooks and warnings were left behind; absent: none. */
  left?: { answers: number; warnings: number };
  /** Absent: none. */
  files?: TaskFile[];
}

/** Calls of earlier runs of a task, for its record. */
export interface CarriedCalls {
  listed: CallMade[];
  /** How many of those are listed for their failure alone. */
  failures: number;
}

/** A signal that no wait has taken yet. */
export interface ReceivedSignal {
  name: string;
  payload: Json;
}

/** What `create` answers. Source: R-000-71 to R-000-73. */
export type CreateAnswer =
  | { status: 'available'; task_key: string; warnings: string[] }
  | { status: 'unavailable'; code: string; reason: string; suggestion: string | null };

/** Memo of a task's workflow: what a list needs without asking a worker. */
export interface TaskMemo {
  ability: string;
  version: number | string;
  environment: string;
  plan: string;
  /** Of a task that calls tools: the digest of its plan before they were pinned. Left out where it is the same. */
  unpinned?: string;
  input: string;
  requested_by: string;
  /** The agent that asked for it in their name. */
  agent?: string;
  /** Proves that a caller is the requester of the task; random. */
  handle?: string;
  /** Trace context of the request, as W3C `traceparent` has it. */
  trace?: string;
  /** The task that called this one. */
  parent?: string;
  /** The task that this one tries again. */
  retry_of?: string;
  /** What it was asked for. */
  intent?: string;
  /** Who changed its input last, and when. */
  changed?: { by: string; at: string };
  [key: string]: unknown;
}
