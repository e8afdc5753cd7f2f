import type { ProofSource } from './approvals.js';
import type { PlanConcurrency } from './concurrency.js';
import type { Effect } from './effects.js';
import type { FilePlace } from './files.js';
import type { Json, JsonObject } from './json.js';
import type { Lifecycle } from './lifecycle.js';
import type { Placement } from './names.js';
import type { PlanNotify } from './notices.js';
import type { PlanHooks, PlanOperation } from './plan-operation.js';
import type { Approvers, ErrorHandler, PlanStep, WhileOpen } from './plan-step.js';

export type * from './plan-operation.js';
export type * from './plan-step.js';

/**
 * An ability resolved for one environment, with nothing left to look up. The SHA-256 digest of its canonical JSON
 * ensures that the approved plan is the one that runs. Times are whole milliseconds.
 * Source: docs/architecture.md#promises; docs/architecture.md#the-way-of-a-task.
 */
export interface Plan {
  format: 1;
  engine: number;
  /** Version of the expression language, {@link CEL} of its build. */
  cel: number;
  project: string;
  ability: PlanAbility;
  environment: PlanEnvironment;
  placement: Placement;
  operations: Record<string, PlanOperation>;
  /** Empty for a low-level ability, which is one call of itself. */
  steps: PlanStep[];
  finally: PlanStep[];
  /** A template over `steps`; absent: the ability's output is null. */
  output?: Json;
  on_error?: ErrorHandler[];
  limits: PlanLimits;
  /** Some expression reads `steps.<id>.link`; absent: none does, and no step has one. */
  links?: true;
  /** Limit on tasks that run at the same time; absent: none. */
  concurrency?: PlanConcurrency;
  /** Milliseconds added to the clock that expressions see; only in plans of `ability test` cases. */
  clock_shift_ms?: number;
  /** Absent: no call makes files, and the input holds none. */
  files?: PlanFiles;
  /** Each guard phase runs in an activity of its own, so that the history shows its answers; absent: only if needed. */
  hooks?: 'activities';
  /** Calls of tasks in a session are reported to it first, for a guard of its history; absent: no such guard. */
  session_calls?: true;
  /** Targets of the task's notices; absent: none, and the workflow issues no command for notices. */
  notify?: PlanNotify[];
  /** What happens to the task is written to the audit log of the project; absent: it is not. */
  audit?: true;
  /** Workflows that this one calls, and those that they call. Their operations are among the plan's own. */
  workflows?: Record<string, PlanWorkflow>;
  /** An agent; its steps are the turns in which its model requests calls. Absent: the steps define the calls. */
  agent?: PlanAgent;
}

/** A workflow that another one calls. */
export type PlanWorkflow = Pick<
  Plan,
  'ability' | 'steps' | 'finally' | 'output' | 'on_error' | 'limits' | 'concurrency' | 'links' | 'agent'
>;

/** An agent: a model that requests calls of its tools, turn by turn, until it answers. */
export interface PlanAgent {
  /** Key of its model among the operations of the plan. */
  model: string;
  instructions: string;
  tools: PlanTool[];
  limits: PlanAgentLimits;
}

/** An ability as a model sees it; its schema is that of the ability. */
export interface PlanTool {
  /** Name for the model: letters, digits, `_` and `-`; also the id of its step. */
  name: string;
  ability: string;
  summary: string;
  effects: Effect;
}

/** Limits of an agent for one task, including all agents that it calls. */
export interface PlanAgentLimits {
  max_turns: number;
  max_calls: number;
  /** Limit for all its requests and answers together; absent: none. */
  max_tokens?: number;
  /** In the currency of the prices of its model; absent: no limit. */
  max_cost?: number;
  /** People are asked to raise a limit that is reached; absent: it fails. */
  on_limit?: 'ask';
}

/** File handling of a plan that produces or receives files. */
export interface PlanFiles {
  /** The input schema accepts files; files in the input belong to the task. */
  input?: true;
  /** Where the input schema accepts files; present with `input`. */
  at?: FilePlace[];
  /** `policy.max_file`, in bytes; absent: 1 GiB. */
  file_bytes?: number;
  /** `policy.max_task_files`, in bytes; absent: 4 GiB. */
  task_bytes?: number;
}

/** Limits of a task. */
export interface PlanLimits {
  /** The policy's limit for every timeout; null: none. */
  max_ms: number | null;
  /** Working time of the task; time spent in approvals and waits does not count. */
  task_ms: number;
  /** For all undo calls together, and for the steps of one `finally`; waits count. */
  cleanup_ms: number;
  /** The author has set it; absent: it is a default, and each call has at least the time that it states. */
  cleanup_stated?: true;
  /** How long a created task waits to be run before it expires. */
  expires_ms: number;
  output_bytes: number;
  /** Maximum number of calls of a task; absent: no limit. */
  max_calls?: number;
}

export interface PlanAbility
  extends Pick<PlanOperation, 'version' | 'summary' | 'modules' | 'input_schema' | 'output_schema'> {
  id: string;
  kind: 'operation' | 'workflow';
  /** Tags of the implementation, or the union over the operations of a workflow. */
  tags: string[];
  /** Effect of the operation, or the strongest one among the operations of a workflow. */
  effects: Effect;
  implementation: string | null;
  prompts?: Record<string, string>;
  /** Hooks of the task as a whole. Empty for a low-level ability, whose hooks run around its one call. */
  hooks: PlanHooks;
  /** Absent: stable. */
  status?: Lifecycle;
  replaced_by?: string;
  /** Abilities that a workflow may call, if it declares them; absent: those that its steps call. Source: R-000-38. */
  operations?: string[];
}

/** The environment and its approvers. Groups are already resolved to people. */
export interface PlanEnvironment {
  name: string;
  protected: boolean;
  vars: JsonObject;
  approve: Effect[];
  /** Fields of the input that its deciders may change; absent: none. */
  edit?: string[];
  approvers: Approvers;
  quorum: number;
  self_approval: boolean;
  proof: 'claimed' | 'required';
  while_open?: WhileOpen;
  /** One yes may allow further calls that are alike; absent: it may not. */
  grants?: true;
  /** Accepted kinds of proof; absent unless proof is required. */
  proofs?: ProofSource[];
}
