import type { AgentGrant, AgentProgress, AgentUsage } from './agent.js';
import type { Approval } from './approvals.js';
import type { Caller } from './callers.js';
import type { CallMade } from './calls-made.js';
import type { SlotAsk, Turn } from './concurrency.js';
import type { StepFiles, TaskFile } from './files.js';
import type { HookAnswer } from './hooks.js';
import type { Json, JsonObject } from './json.js';
import type { ItemFailure, LastTurn, LoopCounts, LoopProgress, TurnCount } from './loops.js';
import type { Person } from './people.js';
import type { Plan } from './plan.js';
import type { Problem } from './problem.js';
import type { Seal } from './seal.js';
import type { StepStatus, TaskState } from './states.js';

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
  /** Who says so; preflight takes no word for `session` and `child`. */
  caller?: Caller;
  /** What it is for, in the words of whoever asks; one line. */
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
  /** This very task has ended, and Temporal has forgotten it; its record tells how. */
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

/** What a workflow that another one calls is told besides. */
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

/** A change of the input of a task that was created and not run yet. */
export interface InputChange {
  by: Person;
  /** ISO 8601. */
  at: string;
  /** Names of the fields that differ since, sorted; none where only the definitions had changed. */
  fields: string[];
}

/** The changes between the first and the latest, which are not told one by one. */
export interface ChangesLeft {
  count: number;
  /** Names of those who made them. */
  by: string[];
}

/** What a created task takes along to the run that begins with its new input. Source: C-37. */
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

/** A change that holds, by the id of its update. */
export interface AppliedEdit {
  id: string;
  fields: string[];
}

/** Argument of the `modify` update: fields to set and to take out. Source: R-000-84. */
export interface InputEdit {
  set: JsonObject;
  unset: string[];
  by: Person;
  /** Where it is another one than of the task, nobody knows any more whose task it is, and every hook fires. */
  caller?: Caller;
}

/** What the `modify` update answers once the new input has passed preflight. */
export interface EditAnswer {
  /** Empty where nothing differs. */
  fields: string[];
  /** Whether the task is another one than before: its input, or the definitions it was resolved from. */
  changed: boolean;
  input: JsonObject;
  warnings: string[];
}

/** What a task takes along when it continues as a new run. Source: docs/architecture.md#what-lives-where-in-temporal. */
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
  /** How much of what hooks answered, and of the warnings, stayed behind; absent: nothing. */
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

/** A failure of the workflow that one of its handlers deals with. */
export interface Handling {
  /** Which of the handlers. */
  handler: number;
  error: Problem;
  /** Whether it is what an answer means to its author, so that nothing is tried again unless it is named. */
  answer?: true;
}

/** A signal that no wait has taken yet. */
export interface ReceivedSignal {
  name: string;
  payload: Json;
}

/** Step path to what became of it. Running the steps over a filled map skips what is done. */
export type Progress = Record<string, StepProgress>;

/** What became of one step. Times are ISO 8601. */
export interface StepProgress {
  status: StepStatus;
  /** The ability called, where the step is a call. */
  call?: string;
  /** Workflow id of the task that the step called, where that is one. */
  child?: string;
  output?: Json;
  /** What the call made, as expressions see it. */
  files?: StepFiles;
  /** Of a step that is taken over from an earlier task: all files that came of it. */
  made?: TaskFile[];
  error?: Problem;
  attempts?: number;
  started_at?: string;
  finished_at?: string;
  /** In place of the two moments, where an earlier run did the step. */
  duration_ms?: number;
  /** When a wait ends that began in an earlier run. */
  deadline?: string;
  /** Which of the step's handlers deals with its failure. */
  handler?: number;
  /** Whether that failure is what an answer means to its author, see {@link Handling}. */
  answer?: true;
  /** At `<path>.undo`: what the call that takes back is given, or why that is not known. */
  undo?: { with: JsonObject } | { problem: Problem };
  /** At `<path>.undo`: the order in which the calls to take back succeeded. */
  sequence?: number;
  /** Of a `foreach`: the outputs of the items that are done, by their index. */
  items?: Record<string, Json>;
  /** Of what goes on although something in it failed: the items or branches that did, and the failure to report. */
  failed?: { items: number[]; error: Problem; answer?: true };
  /** Of a `repeat`: the turns that are done. */
  turn?: number;
  /** Of a `repeat`: the pause after those turns is over, and the next one has begun. */
  begun?: true;
  /** Of a loop at work: its steps by id, as the turns that are done left them; of those alone that are read inside it. */
  last?: Record<string, LastTurn>;
  /** Of a loop: how often its steps ran, by their path with `*` for the turn; entries of turns that are done are gone. */
  turns?: Record<string, TurnCount>;
  /** Of a loop: how its turns ended. Absent in what earlier builds noted. */
  loop?: LoopProgress;
  /** Of the turns of an agent: where it is. */
  agent?: AgentProgress;
}

/** One step in a result. */
export interface StepSummary {
  id: string;
  /** Unique where ids repeat, such as in a loop. */
  path: string;
  call: string | null;
  status: StepStatus;
  /** In a loop: of all turns together. */
  attempts: number;
  /** In a loop: from when its first turn began until its last one ended. */
  duration_ms: number | null;
  /** How often it ran, where it stands in a loop. */
  turns?: number;
  /** In how many turns it did not succeed; left out where in none. */
  failed_turns?: number;
  /** Of a loop: what became of its items or turns. */
  items?: LoopCounts;
  /** Of a loop: the first turns that did not succeed; of a step in one: the first in which its turn went on all the same. */
  failures?: ItemFailure[];
  /** How many are not among {@link failures}; left out where none is missing. */
  failures_left_out?: number;
  /** Why it did not succeed, where it did not; the message is cut. */
  error?: Pick<Problem, 'code' | 'message'>;
}

/** A large output that lives in the store. */
export interface OutputRef {
  $ref: string;
  bytes: number;
}

/** The outcome of a task, the same for every door. Source: docs/operations.md#the-runtime-of-a-project. */
export interface TaskResult {
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
  /** Who started it: a person, CI, an agent, a session or another task; left out where that is not known. */
  caller?: Caller;
  started_at: string | null;
  finished_at: string | null;
  /** Whether the `finally` steps ran, where there are any. */
  cleanup_ran: boolean | null;
  links: { temporal: string | null; record: string | null };
  /** What it was asked for, in the words of whoever asked; left out where they did not say. */
  intent?: string;
  /** How the input was changed before the task was run; left out where it was not. */
  changes?: InputChange[];
  /** How many changes between the first and the others are not among {@link changes}; left out where none is missing. */
  changes_left?: number;
  /** Of a task that another one called: its working time, which counts as the caller's. */
  worked_ms?: number;
  /** Of an agent: what it has used up, with the agents that it called; of a workflow, what those that it called have. */
  agent?: AgentUsage;
  /** Of a task that another one called: its failure is what an answer means to its author, see {@link Handling}. */
  answer?: true;
  /** Of a task with `concurrency`: how it came by its turn. */
  concurrency?: Turn;
  /** The files of the task, in the order in which it came by them; left out where there are none. */
  files?: TaskFile[];
  /** Name of its project, where that is another one than that of whoever reads. */
  project?: string;
  /** Set when the state is not final: what the task waits for and how to go on. */
  waiting?: { approvals: string[]; resume: string; link: string | null };
}

/** What a step of an open task waits for. Times are ISO 8601. */
export interface StepWait {
  /** Of the step, or of the loop or group that has a pause. */
  path: string;
  /** A signal, a moment, a condition, the next attempt of a group, or the next turn of a loop. */
  for: 'signal' | 'time' | 'condition' | 'attempt' | 'turn';
  /** Name of the signal, or text of the condition. */
  what?: string;
  /** Of a wait for a signal that takes some of its kind only: the text of their condition. */
  condition?: string;
  /** When it ends at the latest; left out: it has no end. */
  until?: string;
  /** Number of the next attempt. */
  attempt?: number;
}

/** What the `task` query answers. */
export interface TaskView extends TaskResult {
  created_at: string;
  input: JsonObject;
  summary: string;
  /** The progress map, so that any reader can tell what is done. */
  progress: Progress;
  /** Whether nothing new is started until somebody resumes it. */
  paused: boolean;
  /** What its steps wait for, besides calls and people; left out where they do not. */
  waits?: StepWait[];
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
  /** What a caller has to show to be taken for the one who asked for the task; random. */
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
