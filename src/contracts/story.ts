import type { AgentUsage } from './agent.js';
import type { Approval } from './approvals.js';
import type { Caller, Person } from './callers.js';
import type { PlanConcurrency, Turn } from './concurrency.js';
import type { TaskFile } from './files.js';
import type { HookAnswer } from './hooks.js';
import type { Json, JsonObject } from './json.js';
import type { ItemFailure } from './loops.js';
import type { Placement } from './names.js';
import type { PlanAbility, PlanAgent, PlanImplementation, PlanOperation } from './plan.js';
import type { Problem } from './problem.js';
import type { TaskState } from './states.js';
import type { InputChange, Rollback, StepSummary, TaskResult } from './task.js';

/**
 * Where a task was read from: an open one answers a query (`worker`), an ended one has its history; an open one
 * without a worker has only Temporal's description, and one that Temporal forgot only its record.
 */
export type StorySource = 'worker' | 'history' | 'description' | 'record';

/**
 * How a task reached its state: which definition, hook, approver and attempt led to it. Times are ISO 8601.
 * Unknown facts are null, and `gaps` says why. Source: docs/architecture.md#promises.
 */
export interface TaskStory extends Rollback {
  task_key: string | null;
  /** Name of its project, if not the reader's. */
  project?: string;
  status: TaskState;
  source: StorySource;
  /** Facts that could not be determined, in sentences. */
  gaps: string[];
  /** What it ran. */
  definition: {
    id: string;
    version: number | string;
    summary: string | null;
    kind: PlanAbility['kind'] | null;
  };
  resolution: StoryResolution | null;
  environment: string;
  requested_by: Person;
  session: string | null;
  caller: Caller | null;
  intent: string | null;
  input: JsonObject | null;
  changes: InputChange[];
  /** Number of changes not listed, between the first and the latest; omitted if zero. */
  changes_left?: number;
  created_at: string | null;
  started_at: string | null;
  finished_at: string | null;
  /** In the order in which they answered. */
  hooks: HookAnswer[];
  approvals: Approval[];
  concurrency?: Turn;
  files?: TaskFile[];
  agent?: AgentUsage;
  steps: StepStory[];
  warnings: string[];
  output: Json;
  error: Problem | null;
  cleanup_ran: boolean | null;
  /** Null if no retry is possible. `foreach`: the failed loop; keeps finished items unless a step is named. */
  retry: { from: string | null; foreach?: string; corrected?: true } | null;
  links: TaskResult['links'];
}

/** Callable abilities and limits of an agent. */
export interface StoryAgent extends Pick<PlanAgent, 'model' | 'limits'> {
  tools: string[];
  /** SHA-256 of the grant from the agent that called it; absent: no agent did. */
  grant?: string;
}

/** How a definition was resolved for the task's environment. */
export interface StoryResolution {
  /** SHA-256 of the canonical plan. */
  digest: string;
  placement: Placement;
  protected: boolean;
  operations: StoryOperation[];
  /** Ids of the hooks around the task itself. */
  hooks: string[];
  concurrency?: PlanConcurrency;
  agent?: StoryAgent;
}

/** An operation the task may call, with the implementation that was chosen. */
export interface StoryOperation extends Pick<PlanOperation, 'key' | 'version' | 'effects'> {
  implementation: string;
  kind: PlanImplementation['kind'];
  /** Short description of what it runs, such as `POST https://host/users`. */
  runs: string;
  tags: string[];
  /** Ids of the hooks around each call. */
  hooks: string[];
  /** The ability that is asked if the outcome of a call is lost; absent: none. */
  asks?: string;
}

/** Outcome of one step; the counts of its loop are as in a result. */
export interface StepStory
  extends Pick<
    StepSummary,
    'id' | 'path' | 'call' | 'status' | 'turns' | 'failed_turns' | 'items' | 'failures_left_out'
  > {
  /** For a call of an MCP tool: the last negotiated protocol version, if a log on this machine has it. */
  protocol?: string;
  condition: string | null;
  /** Number of attempts; for a group, with its own `retry`; in a loop, over all turns. */
  attempts: number;
  /** The failures that a result lists, with the attempts of the failed call as far as the history has them. */
  failures?: FailureStory[];
  started_at: string | null;
  finished_at: string | null;
  duration_ms: number | null;
  error: Pick<Problem, 'code' | 'message'> | null;
  /** Attempts of a call, in order; empty for a step in a loop, whose failures list theirs. */
  tries: AttemptStory[];
}

/** A turn in which a step did not succeed. */
export interface FailureStory extends ItemFailure {
  tries: AttemptStory[];
}

/** One attempt of a call. */
export interface AttemptStory {
  number: number;
  /** From 1; a retried group repeats its calls. */
  round: number;
  /** `waiting`: for a worker, or for the start of the next attempt. */
  status: 'succeeded' | 'failed' | 'cancelled' | 'running' | 'waiting' | 'unknown';
  error: Pick<Problem, 'code' | 'message'> | null;
  /** The last line it wrote, if its error is unknown. */
  last_words: string | null;
  started_at: string | null;
  ended_at: string | null;
  /** When it starts, if it still waits; else null. */
  starts_at: string | null;
  /** Identity of the worker, as Temporal knows it. */
  worker: string | null;
}
