import type { Effect } from './effects.js';
import type { Json, JsonObject } from './json.js';

/** Protocols of other tools that a script handler may speak. Source: answers, 38 to 41. */
export const FOREIGN_FORMATS = ['claude-code'] as const;

/** One of {@link FOREIGN_FORMATS}. */
export type ForeignFormat = (typeof FOREIGN_FORMATS)[number];

/** What the silence of a guard of another tool means. */
export const SILENCES = ['allow', 'deny'] as const;

/** One of {@link SILENCES}. */
export type Silence = (typeof SILENCES)[number];

/** As which tool of the other program an ability is shown to its hook. */
export interface ToolMapping {
  /** Every field given must fit. */
  match: {
    abilities?: string[] | undefined;
    modules?: string[] | undefined;
    environments?: string[] | undefined;
    effects?: Effect[] | undefined;
    tags?: string[] | undefined;
  };
  tool_name: string;
  /** A template over `input`. */
  tool_input: JsonObject | string;
  /** Bare CEL over `tool_name` and `tool_input`; false: the hook is not asked. */
  if?: string | undefined;
}

/** A call as the other program would make it. */
export interface ToolCall {
  tool_name: string;
  tool_input: JsonObject;
}

/** A hook of another tool, in the plan of one ability: the mapping is the one that fits that ability. */
export interface PlanForeignHook {
  format: ForeignFormat;
  /** The folder that the hook knows as its plugin, relative to the project root; pinned with the script. */
  plugin_root?: string;
  tool_name: string;
  /** A template over `input`. */
  tool_input: Json;
  /** Bare CEL over `tool_name` and `tool_input`; false: the hook is not asked. */
  if?: string;
  /** Calls that it must deny; while it does not, it counts as failed. */
  must_deny?: (ToolCall & { ability: string })[];
  silence: Silence;
}
