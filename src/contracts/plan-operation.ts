import type { PlanApiAuth, PlanApiBody, PlanApiParam, PlanApiResponse } from './api.js';
import type { Caller } from './callers.js';
import type { Effect } from './effects.js';
import type { PlanOutputFile } from './files.js';
import type { PlanForeignHook } from './foreign-hooks.js';
import type { BuiltinHook } from './hooks.js';
import type { Json, JsonObject } from './json.js';

/** A low-level ability with the implementation chosen for the plan's environment. */
export interface PlanOperation {
  key: string;
  version: number | string;
  summary: string;
  modules: string[];
  effects: Effect;
  input_schema: JsonObject;
  output_schema: JsonObject | null;
  /** Output files of a call, by name; absent: none. */
  output_files?: Record<string, PlanOutputFile>;
  implementation: PlanImplementation;
  hooks: PlanHooks;
  /** How to find out what became of a call whose outcome was lost; absent: it stays unknown. */
  unknown?: PlanUnknown;
  /** Runs as a local activity: tagged `fast`, and safe to repeat. */
  fast: boolean;
}

/** Whom to ask about a lost call, and how to read the answer. Source: docs/definitions.md#when-an-outcome-is-lost. */
export interface PlanUnknown {
  /** Key of the ability that is asked, among the operations of the plan. */
  call: string;
  /** A template over `call`. */
  with: JsonObject;
  /** Bare CEL over `call`, `output` and `error`; so is `not_happened`. */
  happened: string;
  not_happened: string;
  /** A template over the same names: the output of the lost call. */
  output: Json;
  /** Before each question. */
  wait_ms: number;
  /** Maximum number of questions. */
  attempts: number;
}

/** A lost call as the expressions of its `unknown` see it, as `call`. */
export interface LostCall {
  idempotency_key: string;
  input: JsonObject;
}

/** Fields common to all kinds of implementations. */
export interface ImplementationBase {
  id: string;
  tags: string[];
  /** Default parameters; the caller's input overrides them. */
  defaults: JsonObject;
  overridable: string[];
  /** CEL over `output`: true means that the call failed although it answered. */
  fail_if?: string;
  prompts: Record<string, string>;
  timeout_ms: number;
}

/** Environment of a child process; nothing else is inherited. */
export interface PlanEnvProfile {
  pass: string[];
  set: Record<string, string>;
  /** Name to reference (`env:NAME`, `file:PATH`). */
  secrets: Record<string, string>;
}

/** The box of a child process on Linux: it sees system folders, its interpreter, its pinned copy, and these paths. */
export interface PlanSandbox {
  /** Relative to the project root, or absolute; the box may read them, or also write. */
  read: string[];
  write: string[];
  /** What the proxy of the box lets it reach; empty: no network. */
  allowed_hosts: string[];
}

/** Limits of each process of a child process. */
export interface PlanProcessLimits {
  /** Bytes of data. */
  memory?: number;
  /** Seconds of processor time. */
  cpu?: number;
  /** Processes and threads of a box together. */
  processes?: number;
  /** Name of the user that it runs as, who is not root. */
  user?: string;
}

/** How a child process is confined; absent: as the worker itself. */
export interface PlanConfinement {
  sandbox?: PlanSandbox;
  limits?: PlanProcessLimits;
}

export interface ScriptImplementation extends ImplementationBase {
  kind: 'script';
  script: PlanScript;
}

export interface PlanScript extends PlanConfinement, Omit<PinnedFile, 'live'> {
  /** Further files that it reads, and all imports that can be detected in its text; pinned with it. */
  files?: PinnedFile[];
  /** The program that runs it, and arguments before the script; empty: the script is a binary. */
  interpreter: string[];
  args: PlanArgument[];
  /** A text with names in braces and `${{ }}`; absent: stdin is empty. */
  stdin?: string;
  env: PlanEnvProfile;
  /** Variables whose texts hold names in braces or `${{ }}`; they override those of `env`. */
  variables?: Record<string, string>;
  /** How its output is read; absent: as JSON. */
  output?: 'text' | 'lines' | 'csv' | 'none';
  /** Meaning of exit codes other than 0; for codes not listed: `script.exit`. */
  exit_codes?: Record<string, 'ok' | { code: string }>;
  /** Integers that a double cannot hold become text; absent: they are refused. */
  big_integers?: 'text';
}

/**
 * Source of arguments. A text is one argument, with names in braces (docs/scripts.md) and no expressions; with
 * `${{ }}` it is the `value` of a map.
 */
export type PlanArgument =
  | string
  /** `option`: text from the input may make it begin with `-`. */
  | { value: string; option?: 'allowed' }
  /** Bare CEL. */
  | { if: string; items: PlanArgument[] }
  /** Bare CEL that yields a list, and the name of an item inside. */
  | { each: string; as: string; items: PlanArgument[] };

/** A file that a plan pins by its digest. */
export interface PinnedFile {
  /** Relative to the project root, inside it. */
  path: string;
  /** SHA-256 of its bytes when the plan was made. */
  digest: string;
  /** Its real path, if `path` leads through a symbolic link. */
  real?: string;
  /** The script reads it from the working directory, so the file there must be the pinned one. */
  live?: true;
}

export interface McpImplementation extends ImplementationBase {
  kind: 'mcp';
  mcp: {
    server: PlanMcpServer;
    tool: string;
    output: 'as_is' | 'json';
    /** Integers that a double cannot hold become text; absent: they are refused. */
    big_integers?: 'text';
    /** SHA-256 of the server's description of the tool at import, else at planning; absent: unavailable then. */
    pinned?: string;
  };
}

/** An MCP server: a child process, or a URL. With `session`, each task has its own; absent: all share one. */
export type PlanMcpServer = { name: string; session?: 'task' } & (
  | ({ transport: 'stdio'; command: string; args: string[]; env: PlanEnvProfile } & PlanConfinement)
  | {
      transport: 'http';
      url: string;
      headers: Record<string, string>;
      credentials: Record<string, string>;
      allowed_hosts: string[];
    }
);

export interface ApiImplementation extends ImplementationBase {
  kind: 'api';
  api: {
    method: string;
    /** RFC 6570 level 1, and `{+name}`. */
    path: string;
    base_url: string;
    /** Templates by parameter name. */
    query: Record<string, Json>;
    headers: Record<string, string>;
    /** By input; absent: the method decides where each input goes. */
    params?: Record<string, PlanApiParam>;
    /** Null: the inputs that nothing else uses, as JSON, if the method has a body. */
    body: PlanApiBody | null;
    auth?: PlanApiAuth;
    /** Absent: JSON stays as it is, anything else becomes `{text}`. */
    response?: PlanApiResponse;
    credentials: Record<string, string>;
    allowed_hosts: string[];
    rate_limit: { per_minute?: number; per_day?: number } | null;
  };
}

/** A model that agents call; no ability has this kind. */
export interface ModelImplementation extends ImplementationBase {
  kind: 'model';
  model: PlanModel;
}

/** A model behind an OpenAI-compatible endpoint of the worker's environment, or a program of the project. */
export interface PlanModel {
  /** Its name at the endpoint; for a program, its name under `models`. */
  name: string;
  /** Program that answers in place of an endpoint: it reads a request as JSON and writes the model's answer. */
  script?: PlanScript;
  /** Maximum size of a request, in tokens. */
  context_tokens: number;
  /** Per million tokens. */
  price?: { input: number; output: number };
  /** Hosts that the endpoint may have; absent: the worker's environment decides. */
  allowed_hosts?: string[];
}

/** How a low-level ability is executed or a model is called. */
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
  /** Fires only for these callers; absent: for all. Checked when hooks fire, since plans do not know callers. */
  callers?: Caller[];
  /** Only for a session's hook that does not block; a task's bound hooks always count as blocking. */
  blocking?: false;
  /** Where it asks for confirmation: fields of the input that the deciders may change. */
  edit?: string[];
  handler: PlanHandler;
}

/** The handler of a hook. */
export type PlanHandler =
  | {
      kind: 'script';
      script: PlanScript;
      timeout_ms: number;
      /** It uses the protocol of another tool; absent: it returns a HookResult. */
      foreign?: PlanForeignHook;
    }
  | {
      kind: 'expression';
      deny_if?: string;
      confirm_if?: string;
      warn_if?: string;
      /** People may raise `session.raised` for the session where `deny_if` holds; absent: it denies. */
      on_limit?: 'ask';
      reason: string;
      suggestion?: string;
    }
  | { kind: 'builtin'; name: BuiltinHook; options: JsonObject }
  /**
   * `operation` has no hooks; `with` absent: its input is the EventContext. With `foreign` it uses another tool's
   * protocol: its input is that tool's event, or `with` over the event's keys.
   */
  | { kind: 'ability'; operation: PlanOperation; with?: JsonObject; timeout_ms: number; foreign?: PlanForeignHook };
