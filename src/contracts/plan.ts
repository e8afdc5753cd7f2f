import type { PlanApiAuth, PlanApiBody, PlanApiParam, PlanApiResponse } from './api.js';
import type { ApprovalField, CommentRule, ProofSource } from './approvals.js';
import type { Caller } from './callers.js';
import type { PlanConcurrency } from './concurrency.js';
import type { Effect } from './effects.js';
import type { FilePlace, PlanOutputFile } from './files.js';
import type { PlanForeignHook } from './foreign-hooks.js';
import type { BuiltinHook } from './hooks.js';
import type { Json, JsonObject } from './json.js';
import type { Lifecycle } from './lifecycle.js';
import type { PlanNotify } from './notices.js';
import type { Placement } from './placement.js';

/**
 * An ability resolved for one environment: everything a run needs, nothing it has to look up.
 *
 * Canonical JSON of this value has a SHA-256 digest; what was approved is what runs, because this is what was shown.
 * Times are whole milliseconds. Source: docs/architecture.md#promises; docs/architecture.md#the-way-of-a-task.
 */
export interface Plan {
  format: 1;
  engine: number;
  /** Version of the CEL library for its expressions; absent in the oldest plans: 8.0.0. */
  cel?: string;
  project: string;
  ability: PlanAbility;
  environment: PlanEnvironment;
  placement: Placement;
  operations: Record<string, PlanOperation>;
  /** Empty for a low-level ability, which is one call of itself. */
  steps: PlanStep[];
  finally: PlanStep[];
  /** A template over `steps`; absent means that the ability's output is null. */
  output?: Json;
  on_error?: ErrorHandler[];
  limits: PlanLimits;
  /** Some expression reads `steps.<id>.link`; absent: none does, and no step has one. */
  links?: true;
  /** With which other tasks this one must not run at once; absent: none. */
  concurrency?: PlanConcurrency;
  /** What is added to the clock that expressions see, in milliseconds; only in the plan of a case of `ability test`. */
  clock_shift_ms?: number;
  /** Absent: no call makes files, and the input holds none. */
  files?: PlanFiles;
  /**
   * A guard of the project looks at what a session did, so that each call of a task in a session is entered there before
   * it is made; absent: none does, and no call is.
   */
  session_calls?: true;
  /** Where notices of the task are sent to; absent: to none, and the task has no command for them. */
  notify?: PlanNotify[];
  /** Workflows that this one calls, and those that they call. Their operations are among the plan's own. */
  workflows?: Record<string, PlanWorkflow>;
  /** What an agent is; its steps are the turns in which its model asks for calls. Absent: the steps say what is called. */
  agent?: PlanAgent;
}

/** A workflow that another one calls. */
export type PlanWorkflow = Pick<
  Plan,
  'ability' | 'steps' | 'finally' | 'output' | 'on_error' | 'limits' | 'concurrency' | 'links' | 'agent'
>;

/** An agent: a model that asks, turn by turn, for calls of its tools, until it answers. Source: docs/sessions.md. */
export interface PlanAgent {
  /** Key of its model among the operations of the plan. */
  model: string;
  instructions: string;
  /** What its model may ask for, and nothing else. */
  tools: PlanTool[];
  limits: PlanAgentLimits;
}

/** An ability as a model sees it; its schema is that of the ability. */
export interface PlanTool {
  /** What the model calls it: letters, digits, `_` and `-`; also the id of its step. */
  name: string;
  ability: string;
  summary: string;
  effects: Effect;
}

/** What an agent may use up in one task, with all agents that it calls. */
export interface PlanAgentLimits {
  max_turns: number;
  max_calls: number;
  /** Of all its requests and answers together; absent: no limit. */
  max_tokens?: number;
  /** In the currency of the prices of its model; absent: no limit. */
  max_cost?: number;
}

/** What a plan says of files, where some are made or come as input. */
export interface PlanFiles {
  /** The schema of the input asks for files: those in it are the task's. */
  input?: true;
  /** Where it asks for them; absent in older plans: files at any place are the task's. */
  at?: FilePlace[];
  /** `policy.max_file`, in bytes; absent: 1 GiB. */
  file_bytes?: number;
  /** `policy.max_task_files`, in bytes; absent: 4 GiB. */
  task_bytes?: number;
}

/** Limits of a task. Source: docs/operations.md#limits. */
export interface PlanLimits {
  /** The policy's limit for every time-out; null: none. */
  max_ms: number | null;
  /** Working time of the task; time spent in approvals and waits does not count. */
  task_ms: number;
  /** For all `finally` steps together. */
  cleanup_ms: number;
  /** How long a created task waits to be run before it expires. */
  expires_ms: number;
  output_bytes: number;
  /** Most calls a task may make; absent: no limit. */
  max_calls?: number;
}

/** The ability a task is about. */
export interface PlanAbility {
  id: string;
  kind: 'operation' | 'workflow';
  version: number | string;
  summary: string;
  modules: string[];
  /** Of the implementation, or the union over the operations of a workflow. */
  tags: string[];
  /** Of the operation, or the gravest one among the operations of a workflow. */
  effects: Effect;
  implementation: string | null;
  input_schema: JsonObject;
  output_schema: JsonObject | null;
  /** Prompt templates or hints of the environment, by name, where a workflow has some. */
  prompts?: Record<string, string>;
  /** Hooks of the task as a whole. Empty for a low-level ability, whose hooks stand around its one call. */
  hooks: PlanHooks;
  /** Absent: it is stable. */
  status?: Lifecycle;
  /** What to use instead of this deprecated one. */
  replaced_by?: string;
  /** What a workflow may call, where it says so; absent: what its steps call. Source: R-000-38. */
  operations?: string[];
}

/** The environment, and who decides in it. Groups are already resolved to people. */
export interface PlanEnvironment {
  name: string;
  protected: boolean;
  vars: JsonObject;
  /** Effects that need an approval here. */
  approve: Effect[];
  approvers: Approvers;
  quorum: number;
  self_approval: boolean;
  proof: 'claimed' | 'required';
  /** What counts as proof, where it is required; absent there in plans of earlier versions, which could check none. */
  proofs?: ProofSource[];
}

/** Who may decide: the names as written, and the people they stand for. */
export interface Approvers {
  listed: string[];
  people: string[];
}

/** A low-level ability with the implementation chosen for the plan's environment. */
export interface PlanOperation {
  key: string;
  version: number | string;
  summary: string;
  modules: string[];
  effects: Effect;
  input_schema: JsonObject;
  output_schema: JsonObject | null;
  /** Files that a call leaves, by name; absent: none. */
  output_files?: Record<string, PlanOutputFile>;
  implementation: PlanImplementation;
  hooks: PlanHooks;
  /** Runs as a local activity: tagged `fast`, and doing it twice does no harm. */
  fast: boolean;
}

/** What every kind of implementation has. */
export interface ImplementationBase {
  id: string;
  tags: string[];
  /** Parameters that stand under the caller's input. */
  defaults: JsonObject;
  /** Names among `defaults` a caller may override. */
  overridable: string[];
  /** CEL over `output`: true means that the call failed although it answered. */
  fail_if?: string;
  /** Prompt templates or hints of the environment, by name. */
  prompts: Record<string, string>;
  timeout_ms: number;
}

/** What a child process gets as its environment; never anything else. */
export interface PlanEnvProfile {
  pass: string[];
  set: Record<string, string>;
  /** Name to reference (`env:NAME`, `file:PATH`). */
  secrets: Record<string, string>;
}

/** A script of the project. */
export interface ScriptImplementation extends ImplementationBase {
  kind: 'script';
  script: PlanScript;
}

/** How a script is started. */
export interface PlanScript {
  /** Relative to the project root, inside it. */
  path: string;
  /** SHA-256 of its bytes when the plan was made. */
  digest: string;
  /** Where its bytes lie, when `path` leads over a link. */
  real?: string;
  /** What it reads and imports besides, pinned with it. */
  files?: PinnedFile[];
  /** What it imports is among `files`, as far as that can be read from its text; absent in older plans. */
  whole?: true;
  /** The program that runs it; empty: the script itself is executable. */
  interpreter: string[];
  args: PlanArgument[];
  /** A text with names in braces and `${{ }}`; absent: nothing is on its stdin. */
  stdin?: string;
  env: PlanEnvProfile;
  /** Variables whose texts hold names in braces or `${{ }}`; they win over those of `env`. */
  variables?: Record<string, string>;
  /** How its output is read; absent: as JSON. */
  output?: 'text' | 'lines' | 'csv' | 'none';
  /** What exit codes other than 0 mean; absent, and those not named: `script.exit`. */
  exit_codes?: Record<string, 'ok' | { code: string }>;
  /** Gives integers that a double does not hold as text; absent: they are refused. */
  big_integers?: 'text';
}

/**
 * What gives arguments. A text is one argument, with names in braces (docs/scripts.md) and no expressions; one with `${{ }}` is
 * the `value` of a map, so that no plan of an earlier version is read as if it held expressions.
 */
export type PlanArgument =
  | string
  /** `option`: text from the input may begin it with a `-`. */
  | { value: string; option?: 'allowed' }
  /** Bare CEL. */
  | { if: string; items: PlanArgument[] }
  /** Bare CEL that gives a list, and what an item of it is called inside. */
  | { each: string; as: string; items: PlanArgument[] };

/** A file that a plan holds by its digest. */
export interface PinnedFile {
  /** Relative to the project root, inside it. */
  path: string;
  /** SHA-256 of its bytes when the plan was made. */
  digest: string;
  /** Where its bytes lie, when `path` leads over a link. */
  real?: string;
  /** The script reads it from the working directory, so the one that lies there has to be the pinned one. */
  live?: true;
}

/** A tool of an MCP server. */
export interface McpImplementation extends ImplementationBase {
  kind: 'mcp';
  mcp: {
    server: PlanMcpServer;
    tool: string;
    output: 'as_is' | 'json';
    /** Gives integers that a double does not hold as text; absent: they are refused. */
    big_integers?: 'text';
    /**
     * SHA-256 of how the server described the tool when it was imported, else when the plan was made; absent: it could
     * not be seen then.
     */
    pinned?: string;
  };
}

/** An MCP server: a child process, or a URL. */
export type PlanMcpServer =
  | { name: string; transport: 'stdio'; command: string; args: string[]; env: PlanEnvProfile }
  | {
      name: string;
      transport: 'http';
      url: string;
      headers: Record<string, string>;
      credentials: Record<string, string>;
      allowed_hosts: string[];
    };

/** An HTTP call. */
export interface ApiImplementation extends ImplementationBase {
  kind: 'api';
  api: {
    method: string;
    /** RFC 6570 level 1, and `{+name}`. */
    path: string;
    base_url: string;
    /** Name to template. */
    query: Record<string, Json>;
    headers: Record<string, string>;
    /** By input; absent: none is named, and each goes where the method says. */
    params?: Record<string, PlanApiParam>;
    /** Null: the input that nothing else uses, as JSON where the method has a body. */
    body: PlanApiBody | null;
    auth?: PlanApiAuth;
    /** Absent: JSON as it is, all else as `{text}`. */
    response?: PlanApiResponse;
    credentials: Record<string, string>;
    allowed_hosts: string[];
    rate_limit: { per_minute?: number; per_day?: number } | null;
  };
}

/** A model that agents ask; no ability has this kind. */
export interface ModelImplementation extends ImplementationBase {
  kind: 'model';
  model: PlanModel;
}

/** A model behind an OpenAI-compatible endpoint, which the environment of the worker names, or a program of the project. */
export interface PlanModel {
  /** As the endpoint knows it; of a program, the name under `models`. */
  name: string;
  /** What answers in place of an endpoint: it reads a request as JSON and writes what the model says. */
  script?: PlanScript;
  /** What a request may hold, in tokens. */
  context_tokens: number;
  /** Per million tokens. */
  price?: { input: number; output: number };
  /** Hosts at which the endpoint may be; absent: wherever the environment of the worker says. */
  allowed_hosts?: string[];
}

/** How a low-level ability is executed, or a model asked. */
export type PlanImplementation = ScriptImplementation | McpImplementation | ApiImplementation | ModelImplementation;

/** The hooks that fire around a call, in order. */
export interface PlanHooks {
  pre_create: PlanHook[];
  pre_call: PlanHook[];
  post_call: PlanHook[];
}

/** A hook that applies, with its handler. */
export interface PlanHook {
  id: string;
  /** It fires only for these; absent: for all. Not known when a plan is made, so that it is looked at when hooks fire. */
  callers?: Caller[];
  /** Of a session's hook that does not block; hooks of a task have it never, since bound ones count as blocking. */
  blocking?: false;
  handler: PlanHandler;
}

/** What answers for a hook. */
export type PlanHandler =
  | {
      kind: 'script';
      script: PlanScript;
      timeout_ms: number;
      /** It was written for another tool, and is asked in the protocol of that; absent: HookResult. */
      foreign?: PlanForeignHook;
    }
  | {
      kind: 'expression';
      deny_if?: string;
      confirm_if?: string;
      warn_if?: string;
      reason: string;
      suggestion?: string;
    }
  | { kind: 'builtin'; name: BuiltinHook; options: JsonObject }
  /**
   * `operation` has no hooks; `with` absent: its input is the EventContext. With `foreign` it is asked in the protocol of
   * another tool: its input is the event of that, or `with` over the keys of that event.
   */
  | { kind: 'ability'; operation: PlanOperation; with?: JsonObject; timeout_ms: number; foreign?: PlanForeignHook };

/** How often a failed call or group is tried. Times may be templates that give a duration. */
export interface PlanRetry {
  attempts: number;
  first: string;
  factor: number;
  max: string;
  /** Codes or families of codes; absent: whatever the effect allows. */
  errors?: string[];
  /** Bare CEL over `error` and `attempt`: false ends the attempts. */
  if?: string;
  /** Each wait is a random part of itself, from half of it up to all of it. */
  jitter?: true;
}

/** What stands on every step. Source: docs/workflow-language.md#failures. */
export interface StepModifiers {
  /** Unique in the workflow; of a step of a template `<id of its use>/<its name>`, see `nameOfStep`. */
  id: string;
  /** Bare CEL. */
  if?: string;
  /** A duration, or a template that gives one. */
  timeout?: string;
  on_error?: ErrorHandler[];
  continue_on_error?: boolean;
  finally?: PlanStep[];
  /** Where an `end` may leave the step: a `finally` that then fails makes the task failed. Absent in earlier plans. */
  fails_end?: true;
}

/** What is done about a failure. Source: docs/workflow-language.md#failures; docs/workflow-language.md#calls. */
export interface ErrorHandler {
  /** Codes or families of codes; absent: whatever a catch-all may catch. */
  errors?: string[];
  steps: PlanStep[];
  /** What the step then gives; absent: null. */
  output?: Json;
  /** Fail all the same, with the same code and end. */
  rethrow?: boolean;
}

/** Calls an ability. */
export interface CallStep extends StepModifiers {
  verb: 'call';
  call: string;
  with: Json;
  retry?: PlanRetry;
  /** It may be ended while it is at work, and counts as cancelled then, whatever became of its effect. */
  cut?: 'allowed';
  /** The call that takes this one back, when the task fails or is cancelled. */
  undo?: { call: string; with: Json };
}

/** Waits for people. */
export interface ApprovalStep extends StepModifiers {
  verb: 'approval';
  approval: {
    title: string;
    approvers?: Approvers;
    quorum?: number;
    /** A duration, or a template that gives one. */
    expires: string;
    comment: CommentRule;
    /** What the decider must fill in. */
    fields?: Record<string, ApprovalField>;
  };
}

/** What happens to the others when one branch or turn fails. Source: docs/workflow-language.md#at-once. */
export type OnFailure = 'stop' | 'finish' | 'cancel';

/** Runs branches at once; a branch's name is its step id. */
export interface ParallelStep extends StepModifiers {
  verb: 'parallel';
  branches: PlanStep[];
  /** A number, or a template that gives one; absent: all at once. */
  max_parallel?: number | string;
  on_failure?: OnFailure;
}

/** Runs branches at once until the first one ends; the others are cancelled. */
export interface RaceStep extends StepModifiers {
  verb: 'race';
  branches: PlanStep[];
}

/** Runs steps once for each item of a list. */
export interface ForeachStep extends StepModifiers {
  verb: 'foreach';
  /** Bare CEL, or the list itself. */
  foreach: { expression: string } | { list: Json[] };
  as: string;
  index?: string;
  /** A template: what people call an item. Absent: the item itself. */
  label?: string;
  /** A number, or a template that gives one. */
  max_parallel: number | string;
  on_failure?: OnFailure;
  steps: PlanStep[];
}

/** Runs the steps of the first case that holds. */
export interface SwitchStep extends StepModifiers {
  verb: 'switch';
  /** One without `if` stands last and always holds. */
  cases: { if?: string; steps: PlanStep[] }[];
}

/** Runs steps again until a condition holds. */
export interface RepeatStep extends StepModifiers {
  verb: 'repeat';
  /** Durations and numbers may be templates. */
  repeat: { until: string; every: string; max: number | string };
  index?: string;
  steps: PlanStep[];
}

/** Waits for time to pass, for a condition, or for a signal. */
export interface WaitStep extends StepModifiers {
  verb: 'wait';
  wait: { for: string } | { until: string } | { signal: string; if?: string; timeout?: string };
}

/** Runs steps in order. */
export interface GroupStep extends StepModifiers {
  verb: 'steps';
  steps: PlanStep[];
  retry?: PlanRetry;
  /** Of a group that was a use of a template. */
  template?: PlanTemplate;
}

/** What a group has of the template that it was. */
export interface PlanTemplate {
  name: string;
  /** Its first step names what the template was given, and gives no output. */
  given?: boolean;
  /** A template over `steps`; absent: the last output of what ran. */
  output?: Json;
}

/** Names values. */
export interface LetStep extends StepModifiers {
  verb: 'let';
  let: JsonObject;
}

/** Ends the task as failed. */
export interface FailStep extends StepModifiers {
  verb: 'fail';
  fail: { code: string; message: string; details?: Json };
}

/** Ends the task as succeeded. */
export interface EndStep extends StepModifiers {
  verb: 'end';
  end: { output: Json };
}

/** One step, told apart by its verb. */
export type PlanStep =
  | CallStep
  | ApprovalStep
  | ParallelStep
  | RaceStep
  | ForeachStep
  | SwitchStep
  | RepeatStep
  | WaitStep
  | GroupStep
  | LetStep
  | FailStep
  | EndStep;
