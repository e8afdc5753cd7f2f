import type { DecisionProof, ProvedDecision } from './approvals.js';
import type { Caller, Person } from './callers.js';
import type { SlotRequest } from './concurrency.js';
import type { StepFiles } from './files.js';
import type { HookAnswer, Phase } from './hooks.js';
import type { Json, JsonObject } from './json.js';
import type { LostCall, Plan } from './plan.js';
import type { Problem } from './problem.js';
import type { TaskRecord } from './record.js';
import type { Confirmation, Seal } from './seal.js';
import type { CallStatus } from './session.js';
import type { StoredResult } from './stored-result.js';
import type { InputChange, TaskResult, WantedPlan } from './task.js';

/**
 * Sent with every activity request of a task. Only this part of the seal: the first event of the history has the
 * rest, half a kilobyte. Source: docs/architecture.md#the-cost-rule.
 */
export interface CallContext {
  /** Part of the seal that distinguishes it from every other seal of the same task. */
  seal: string;
}

/** Argument of a call: the operation is the activity's type. */
export interface CallRequest extends CallContext {
  path: string;
  with: JsonObject;
  /** Attempt of each retried group around the call, from the outside in; left out while all are at their first. */
  groups?: number[];
  /** Digests of the files in `with` that the task has; the call gets no others. Absent: none. */
  files?: string[];
  /** For a question about a lost call of `operation`: a found output must fit its contract. */
  about?: LostCall & { operation: string };
  /** Number of earlier attempts that were lost and, as was found out, had no effect; absent: none. */
  after?: number;
  /** Maximum bytes of the call's files; absent: the whole allowance of the task. */
  file_room?: number;
}

/** Result of a call. Empty fields are left out, since each adds to the history. */
export interface CallAnswer {
  output: Json;
  /** Number of the attempt that succeeded; left out when it was the first. */
  attempt?: number;
  /** Answers of its built-in hooks; omitted if {@link CallAnswer.allowed}. */
  hooks?: HookAnswer[];
  /** All of its built-in hooks allowed it and had nothing else to report. */
  allowed?: true;
  /** Duration of each of those hooks, in order, in milliseconds. */
  allowed_ms?: number[];
  warnings?: string[];
  files?: StepFiles;
}

/** Argument of a dedicated hook activity: one phase around one call, or around the task (`path` is `''`). */
export interface HookRequest extends CallContext {
  phase: Phase;
  path: string;
  /** The operation called; null for the task itself. */
  operation: string | null;
  input: JsonObject;
  /** Value of `now()` in expression hooks: milliseconds since 1970. Omitted if no hook of the phase is an expression. */
  moment?: number;
  /** Id of the call in its session, if entered there; unique in its task. */
  call_id?: string;
  /** For `PostAbilityCall`: how the call ended. */
  outcome?: { status: string; output: Json; error: Problem | null };
}

/** Argument of the activity that reports the end of a call to the session of its task. */
export interface EndCallRequest extends CallContext {
  call_id: string;
  /** `denied`: the call was never made. */
  status: CallStatus | 'denied';
}

/** Argument of the activity that ends every task: checks the output, writes the record. */
export interface FinishRequest extends CallContext {
  result: TaskResult;
  input: JsonObject;
}

/** Argument of the first activity of a called task. */
export interface EnterRequest extends CallContext {
  input: JsonObject;
}

/** Result of `enter`: the checked input, with its defaults. */
export interface EnterAnswer {
  input: JsonObject;
  warnings: string[];
}

/** Argument of the activity that finds the link to a task. */
export type FindLinkRequest = Pick<CallContext, 'seal'>;

/** People raised the limit of a hook for the session of the task. `id`: of the approval, unique among all tasks. */
export interface RaiseLimitRequest extends FindLinkRequest {
  hook: string;
  id: string;
  by: number;
}

/** Whether a firing that was begun ahead still takes place. @see ActivityDependencies.whyNoFiring */
export interface CheckFiringRequest extends FindLinkRequest {
  schedule: string;
  /** When its task began. ISO 8601. */
  since: string;
}

/** For `prove`: a decision and its proof, or neither to ask if its worker can. */
export interface ProveRequest extends CallContext {
  decision?: ProvedDecision;
  proof?: DecisionProof;
}

/** Result of `prove`; `able` is false if its worker cannot verify proofs. */
export type ProveAnswer = { able: false } | { able: true; reason?: string };

/** Argument of the activity that requests a task's turn. */
export interface AcquireRequest extends CallContext {
  input: JsonObject;
  /** The first run of the task's execution. */
  run: string;
  /** For a repeated request: the token of the first one. */
  token?: string;
}

/** Result of `acquire`: the evaluated key, and the workflow id of its lock. The lock itself answers by signal. */
export interface AcquireAnswer {
  key: string;
  lock: string;
  /** Token that the lock's answers will contain. */
  token: string;
}

/** Argument of the activity with which a task returns its turn or leaves the queue. */
export interface ReleaseRequest extends CallContext {
  lock: string;
  run: string;
}

/** Argument of the activity that returns the holders of a lock that have ended. */
export interface EndedHoldersRequest {
  holders: Pick<SlotRequest, 'task' | 'run'>[];
}

/** Argument of the preflight that changes the input of an existing task. */
export interface ModifyRequest extends CallContext {
  input: JsonObject;
  /** The person who changes the input; hooks receive this person. */
  by: Person;
  caller?: Caller;
  only?: WantedPlan;
}

/** Result of that preflight if the new input passes. */
export interface ModifyAnswer extends EnterAnswer {
  plan: Plan;
  seal: Seal;
  hooks: HookAnswer[];
}

/** Argument of the activity that checks an input which a decision changed. */
export interface CheckInputRequest extends CallContext {
  /** The operation that is called with it; null: it is the input of the task itself. */
  operation: string | null;
  input: JsonObject;
}

export interface CheckInputAnswer {
  /** With defaults applied. */
  input: JsonObject;
  /** What the creation hooks of the task want confirmed. */
  confirmations: Confirmation[];
}

/** Argument of the activity that rewrites the record of a task after its input changed. */
export interface RecordChangeRequest
  extends CallContext,
    Pick<TaskRecord, 'input' | 'created_at' | 'changes_left' | 'warnings'> {
  changes: InputChange[];
}

/** Result of that activity. */
export type RecordChangeAnswer = Pick<EnterAnswer, 'warnings'>;

/**
 * Result of `finish`: changes to the task result; the output is checked and, if large, moved to the store. The
 * whole result for a cancelled task, since Temporal keeps none for those. Readers locate the record themselves.
 */
export type FinishAnswer = { changes?: Partial<TaskResult> } | { result: StoredResult };
