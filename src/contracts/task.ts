import type { TaskResult } from '../operations/task-result.js';
import type { StartProof } from './approvals.js';
import type { Caller, Person } from './callers.js';
import type { HookAnswer } from './hooks.js';
import type { JsonObject } from './json.js';
import type { Plan } from './plan.js';
import type { Problem, SourceLocation } from './problem.js';
import type { Seal } from './seal.js';
import type { StoredResult } from './stored-result.js';
import type { Carried, Changed, ChildStart } from './task-carried.js';
import type { StepWait } from './task-parts.js';
import type { Progress } from './task-progress.js';

export type * from './task-carried.js';
export type * from './task-input.js';
export type * from './task-parts.js';
export type * from './task-progress.js';
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

/**
 * The second argument of a task's workflow. Claims of whoever starts it, all optional; preflight checks what they
 * say. Source: docs/start-from-temporal.md.
 */
export interface TaskOptions {
  /** Absent: unknown, so that every guard applies. */
  user?: { name: string; source?: 'claimed'; agent?: string };
  /** What a door signs of the user; absent: nothing proves the name. */
  vouched?: StartProof;
  session?: string;
  /** A folder of the project. */
  scope?: string;
  /** `session` and `child` cannot be claimed. Absent: unknown, so that every hook fires. */
  caller?: Caller;
  /** Purpose of the task, in the requester's words; one line. */
  intent?: string;
  /** The run (of a request in plain words) that it belongs to. */
  run?: string;
  /** Wait for the signal `run`; absent: run at once. */
  create?: true;
  /** Reuse results of an earlier task as far as they are still valid. */
  retry?: {
    task: string;
    from: string | null;
    /** Calls of which a person says that they still stand: they are not repeated. */
    stands?: string[];
    /** Calls of which a person says that they do not stand, or were undone by hand: they may be repeated. */
    undone?: string[];
    /** Ask about its lost calls, as their `unknown` says. */
    reconcile?: true;
  };
  plan?: WantedPlan;
  /** Digest of the definitions that the worker must have. */
  registry?: string;
  /** Beginning of the digest of the requester's definitions: a warning if those of the worker differ. */
  definitions?: string;
  /** ISO 8601, or a duration from the start: a task that begins later ends `expired` and has run nothing. */
  start_by?: string;
  /** Trace context of the request, as W3C `traceparent`. */
  trace?: string;
  /** The secret of its handle, see `newTaskSecret`. */
  handle?: string;
}

/** The reviewed plan to run: digests, as 64 hex digits. */
export interface WantedPlan {
  /** Digest of the plan before its tools are pinned, or as it was sealed with their pins. */
  plan: string;
  /** Digest of the input with defaults applied; omitted: any. */
  input?: string;
}

/** The arguments of a task's workflow. Source: docs/start-from-temporal.md. */
export type TaskArguments = [input?: JsonObject | null, options?: TaskOptions | null, continued?: Continued | null];

/**
 * What a run hands to its next run, or a task to the ability that it calls. Accepted only where Temporal itself
 * says that the run continues another one or has a parent. Our codec packs it by its first key.
 */
export interface Continued {
  $plan: Plan;
  /** For a called task: its caller's whole seal, which covers other values than the arguments. */
  seal: Seal | SealProof;
  run?: true;
  warnings?: string[];
  hooks?: HookAnswer[];
  progress?: Progress;
  /** When the first run was started. ISO 8601. */
  created_at?: string;
  carried?: Carried;
  changed?: Changed;
  child?: ChildStart;
}

/** The part of a seal that does not follow from plan, input, options and id of its task. */
export type SealProof = Pick<Seal, 'key_id' | 'mac'> & Partial<Pick<Seal, 'caller' | 'confirmations' | 'progress'>>;

/** Argument of the preflight that is the first act of a task, a local activity. */
export interface PreflightRequest {
  input: JsonObject;
  options: TaskOptions;
  /** Run id of the first run of its chain; the record names it. */
  first: string;
  /** When it was started. ISO 8601. */
  created_at: string;
  /** The time of the workflow, for guards that read the clock; absent: now. Milliseconds since 1970. */
  moment?: number;
  /** Search attribute `AbilityProject` of its start; absent: none. */
  project?: string;
  /** It was not started by a client of ours, which would have refused a key that ended tasks hold. */
  outside?: true;
  /** Its client found that nothing of the last task under its key ran. */
  again?: true;
  /** The workflow refuses its arguments; what is missing is the place, for lists. */
  refused?: Problem;
}

/**
 * Result of preflight. `dedicated`: a hook before creation is a script or an ability, so an activity of its own
 * repeats it; `ended`: a task of the same request has ended under this key, and Temporal no longer had it.
 */
export type PreflightAnswer<P = Plan> = Formed<P> | { dedicated: true } | { ended: StoredResult };

/** What passed preflight; people read it in the Temporal UI, so the packed plan comes last. */
export interface Formed<P = Plan> {
  /** With defaults applied; absent: as it was given. */
  input?: JsonObject;
  /** Answers of the hooks before creation; absent: none. */
  hooks?: HookAnswer[];
  warnings?: string[];
  seal: SealProof;
  /** Where it goes on, if it was started on another queue than that of its placement. */
  queue?: string;
  /** Progress reused from the task that this one retries. */
  progress?: Progress;
  /** Where a retry begins, and why. */
  begins?: string;
  plan: P;
}

/** A plan as a worker hands it to our codec, which writes it deflated; whoever reads it gets the plan. */
export interface PackedPlan {
  $deflated: string;
}

/** Details of the failure with which a task ends that preflight refused. Source: R-000-71 to R-000-73. */
export interface Refusal {
  status: 'unavailable';
  code: string;
  reason: string;
  suggestion: string | null;
  details?: unknown;
  /** Place in a definition. */
  location?: SourceLocation;
}

/** What a run of a task begins with: what passed preflight, or what an earlier run or a caller hands over. */
export interface TaskStart extends Pick<Continued, 'hooks' | 'progress' | 'created_at' | 'carried' | 'changed'> {
  plan: Plan;
  seal: Seal;
  input: JsonObject;
  options: TaskOptions;
  user: Person;
  session: string | null;
  /** Run at once, without waiting for the `run` signal. */
  run: boolean;
  warnings: string[];
  /** Set where another task calls this workflow: `plan` and `seal` are then the root's. */
  child?: ChildStart;
}
