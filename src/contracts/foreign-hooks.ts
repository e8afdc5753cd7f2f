import type { Phase } from './hooks.js';
import type { Json, JsonObject } from './json.js';

/**
 * Protocols of other tools that a handler may use. `codex` is Claude Code's, without unknown keys in answers.
 * Source: docs/hooks.md#guards-written-for-claude-code-or-codex; docs/hooks.md#importing-them.
 */
export const FOREIGN_FORMATS = ['claude-code', 'codex'] as const;

export type ForeignFormat = (typeof FOREIGN_FORMATS)[number];

/** What silence of another tool's guard means. */
export const SILENCES = ['allow', 'deny'] as const;

export type Silence = (typeof SILENCES)[number];

/** A call as the other program would make it. */
export interface ToolCall {
  tool_name: string;
  tool_input: JsonObject;
}

/** Events of Claude Code that a hook may receive, and their phases. Source: docs/hooks.md#importing-them. */
export const FOREIGN_EVENTS = {
  PreToolUse: 'PreAbilityCall',
  PermissionRequest: 'PreAbilityCall',
  PostToolUse: 'PostAbilityCall',
  PostToolUseFailure: 'PostAbilityCall',
  UserPromptSubmit: 'PromptSubmit',
  Stop: 'SessionStop',
  SessionEnd: 'SessionStop',
} as const satisfies Record<string, Phase>;

export type ForeignEvent = keyof typeof FOREIGN_EVENTS;

/** Keys that Claude Code events can have. */
export const FOREIGN_EVENT_KEYS = [
  'session_id',
  'transcript_path',
  'cwd',
  'permission_mode',
  'hook_event_name',
  'tool_name',
  'tool_input',
  'tool_use_id',
  'tool_response',
  'error',
  'is_interrupt',
  'prompt',
  'stop_hook_active',
  'reason',
] as const;

/** How a hook sees one ability. */
export interface ShownAs {
  tool_name: string;
  /** A template over `input`. */
  tool_input: Json;
  /** Bare CEL over `tool_name` and `tool_input`; false: the hook is skipped. */
  if?: string;
}

/** A hook of another tool in the plan of one ability, with the mapping for that ability. */
export interface PlanForeignHook {
  format: ForeignFormat;
  /** The event that the hook receives; absent: the usual one of its phase. */
  event?: ForeignEvent;
  /** The folder that the hook knows as its plugin, relative to the project root; pinned with the script. */
  plugin_root?: string;
  /** Absent around sessions, which call no tool. */
  shown?: ShownAs;
  /** Calls that the hook must deny; if it does not, it counts as failed. */
  must_deny?: MustDeny[];
  silence: Silence;
}

/** A call that a hook must deny, as the hook sees it. */
export interface MustDeny extends ToolCall {
  ability: string;
  /** Input available to the hook's arguments. */
  input: JsonObject;
}
