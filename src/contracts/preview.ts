import type { Approval, ApprovalField } from './approvals.js';
import type { PlanConcurrency } from './concurrency.js';
import type { Effect } from './effects.js';
import type { GuardDecision, Phase } from './hooks.js';
import type { Json, JsonObject } from './json.js';
import type { LifecycleFields } from './lifecycle.js';
import type { Placement } from './names.js';
import type { Plan, PlanHandler, PlanLimits, PlanStep, PlanUnknown } from './plan.js';
import type { Problem } from './problem.js';
import type { StoryOperation } from './story.js';

/** What would happen if an ability ran with an input, as far as it is certain before the run. */
export interface PlanPreview {
  format: 1;
  /** `unavailable`: a task would be refused at its creation, for the first of `problems`. */
  status: 'available' | 'unavailable';
  ability: { id: string; kind: 'operation' | 'workflow'; version: number | string; summary: string } & LifecycleFields;
  environment: { name: string; protected: boolean };
  /** Digest of the plan, before its tools are pinned. */
  digest: string;
  input_digest: string;
  /** Argument for `--plan`, to run exactly this plan with this input. */
  reference: string;
  /** Operations whose tools are pinned when the task is created; their servers' descriptions are unknown here. */
  pinned_at_creation: string[];
  /** With defaults applied. */
  input: JsonObject;
  requested_by: string;
  effects: Effect;
  tags: string[];
  placement: PlacementPreview;
  limits: PlanLimits;
  concurrency: ConcurrencyPreview | null;
  problems: Problem[];
  warnings: string[];
  /** Answers of the hooks before creation: for the ability, and for each operation it may call. */
  creation: { subject: string; hooks: HookPreview[] }[];
  start: StartPreview;
  steps: StepPreview[];
  on_error: StepGroup[];
  finally: StepPreview[];
  output: ValuePreview | null;
  operations: OperationPreview[];
  plan: Plan;
}

/** Where the task runs, and the reason. */
export interface PlacementPreview {
  where: Placement;
  queue: string;
  /** The explicit placement, which wins; null: none. */
  explicit: Placement | null;
  demands: { ability: string; tool: string | null; placement: Placement }[];
}

/** The lock whose turn a task would wait for. */
export interface ConcurrencyPreview extends Pick<PlanConcurrency, 'limit' | 'on_busy'> {
  /** Null where it cannot be evaluated, see `problem`. */
  key: string | null;
  template: string;
  problem: Problem | null;
}

/** Hooks of a workflow's task as a whole, and the approval at its start. */
export interface StartPreview {
  hooks: HookPreview[];
  approval: ApprovalPreview | null;
}

export interface HookPreview {
  id: string;
  phase: Phase;
  handler: PlanHandler['kind'];
  /** Null if only the run determines it, as always for scripts and built-in hooks. */
  decision: GuardDecision | null;
  /** `error` if it is certain to fail; its decision is then that of a failed hook. */
  status: 'ok' | 'error';
  reason: string | null;
  suggestion: string | null;
  warnings: string[];
  /** What the answer depends on; empty if it is known, or only the run determines it. */
  depends_on: string[];
  /** The program that would run, or the built-in handler. */
  asks: string | null;
}

/** An approval that would be requested. */
export interface ApprovalPreview
  extends Pick<Approval, 'title' | 'reasons' | 'approvers' | 'people' | 'quorum' | 'self_approval' | 'comment'> {
  /** `maybe`: depends on values known only at run time. */
  asked: 'yes' | 'maybe';
  /** A duration, or a template that yields one. */
  expires: string;
  fields: Record<string, ApprovalField>;
}

/** A value that may hold templates. */
export interface ValuePreview {
  /** Parts that are unknown remain templates. */
  value: Json;
  /** What parts depend on, by the member of a map, or `''` for the whole. */
  open: Record<string, string[]>;
  problem: Problem | null;
}

/** A condition, a count or a duration. */
export interface AnswerPreview {
  expression: string;
  /** Null if unknown. */
  value: Json;
  depends_on: string[];
  problem: Problem | null;
}

/** Steps inside a step. */
export interface StepGroup {
  /** Such as `steps`, `case 1`, `on_error http.409` or `finally`. */
  name: string;
  /** Condition of a switch case; null: none. */
  if: AnswerPreview | null;
  runs: Runs;
  steps: StepPreview[];
}

/** Whether a step or group runs once the steps before it are done; `maybe`: not known yet. */
export type Runs = 'yes' | 'no' | 'maybe';

/** One step of the tree. */
export interface StepPreview {
  id: string;
  /** With `*` for the number of a turn. */
  path: string;
  verb: PlanStep['verb'];
  runs: Runs;
  /** Why it does not run, or what decides whether it runs. */
  because: string | null;
  if: AnswerPreview | null;
  /** Short description of the call, question or wait. */
  what: string;
  call: CallPreview | null;
  approval: ApprovalPreview | null;
  foreach:
    | ({ items: number | null; max_parallel: number | string } & Pick<AnswerPreview, 'depends_on' | 'problem'>)
    | null;
  /** Value that a `let` names, an `end` returns or a `fail` reports. */
  value: ValuePreview | null;
  undo: UndoPreview | null;
  /** Whether the call may be interrupted, and then counts as cancelled. */
  may_be_cut: boolean;
  timeout: string | null;
  continue_on_error: boolean;
  groups: StepGroup[];
}

/** What would take a call back. */
export interface UndoPreview extends Pick<CallPreview, 'effects' | 'with'> {
  call: string;
  /** Its own approval, for `approval: required`; null: nobody is asked before it runs. */
  approval: ApprovalPreview | null;
  /** Whether the approval of its call covers it; `maybe`: if its call asks for one. */
  covered: ApprovalPreview['asked'] | 'no';
}

export interface CallPreview {
  ability: string;
  kind: 'operation' | 'workflow';
  effects: Effect;
  with: ValuePreview;
  /** Why the input would be refused, if that is certain. */
  input_problem: Problem | null;
  /** Null for a workflow, since its calls have their own. */
  attempts: number | null;
  /** Pauses between attempts: first, factor, maximum; as written or by default. Null for a single attempt. */
  retry: { first: string; factor: number; max: string; errors: string[] | null; if?: string; jitter?: true } | null;
  /** For all attempts together, milliseconds; null for a workflow, or where it depends on the run. */
  limit_ms: number | null;
  hooks: HookPreview[];
  approval: ApprovalPreview | null;
  /** Whom it asks if its outcome is lost; null: it stays unknown then, or may be repeated anyway. */
  unknown: Pick<PlanUnknown, 'call' | 'attempts' | 'wait_ms'> | null;
  /** Input of a script; null for other implementations, and where the input is unknown. */
  script: ScriptPreview | null;
  /** For a workflow: its own tree; null if the tree has grown too large to be repeated. */
  workflow: (StartPreview & Pick<PlanPreview, 'steps' | 'on_error' | 'finally' | 'output' | 'concurrency'>) | null;
}

/** What a script would receive for the input of a call. */
export interface ScriptPreview extends Pick<AnswerPreview, 'depends_on' | 'problem'> {
  /** The program with its arguments, one item each; null if unknown, see `depends_on` and `problem`. */
  command: string[] | null;
  stdin: string | null;
  /** In addition to its profile; secrets only as references. */
  env: Record<string, string>;
}

/** How an operation is executed in this environment. */
export interface OperationPreview
  extends Pick<StoryOperation, 'key' | 'version' | 'effects' | 'implementation' | 'kind' | 'tags'> {
  /** `server:tool`, which determines the placement. */
  tool: string;
  /** The program, the tool with its server, or the request. Never a secret. */
  does: string;
  timeout_ms: number;
  /** Whether it runs as a local activity. */
  fast: boolean;
  rate_limit: { per_minute?: number; per_day?: number } | null;
  /** Without values. Null: a provider gives it, which only workers ask. */
  credentials: { reference: string; what: string; is_set: boolean | null }[];
  prompts: string[];
}
