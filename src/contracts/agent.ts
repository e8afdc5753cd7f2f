import type { Json, JsonObject } from './json.js';
import type { Problem } from './problem.js';

/**
 * Request to a model for one turn, as the history keeps it; earlier messages are in the transcript. Source:
 * docs/agent-abilities.md.
 */
export interface ModelRequest {
  /** The transcript so far, by the SHA-256 of its last link in the store; null: the first turn. */
  head: string | null;
  /** Only in the first turn: the input of the agent. */
  input?: JsonObject;
  /** Results of the calls of the last turn. */
  results?: ToolResult[];
  /** Why the last answer cannot be used. */
  repair?: string;
  left: AgentLeft;
  /** Names of the tools that it may ask for, where these are not all of its plan. */
  tools?: string[];
}

/** Remaining budget of an agent. */
export interface AgentLeft {
  /** With the one that begins. In the last one no tools are offered. */
  turns: number;
  calls: number;
  /** Absent: no limit. */
  tokens?: number;
  /** Absent: no limit. */
  cost?: number;
  /** Working time, in whole seconds. */
  seconds: number;
}

/** The result of one call, as a model gets it. */
export interface ToolResult {
  /** Id of the call, as the model gave it. */
  id: string;
  /** JSON, cut where it is long. */
  content: string;
}

/** Answer of a model in one turn. */
export interface ModelAnswer {
  /** The transcript with this turn. */
  head: string;
  /** Its words, cut where they are long; the transcript has them whole. Absent: none. */
  text?: string;
  /** Requested tool calls; absent: none, so this is the agent's final answer. */
  calls?: ToolCall[];
  /** The answer in the form of the agent's contract: JSON with an `output_schema`, else text. */
  answer?: Json;
  /** Why the answer does not fit the contract of the agent. */
  unusable?: string;
  usage: ModelUsage;
}

/** A call that a model requests. */
export interface ToolCall {
  id: string;
  /** Name of a tool of its plan, or any other name that the model gave. */
  tool: string;
  input: JsonObject;
  /** Why it is not made: the tool does not exist, or its input is invalid. */
  problem?: Problem;
}

/** Usage of one or several turns. */
export interface ModelUsage {
  input_tokens: number;
  output_tokens: number;
  /** The endpoint did not say, so that it was counted by the length of the texts. */
  estimated?: true;
  /** By the price of the model; absent: it has none. */
  cost?: number;
}

/** Usage of an agent's task so far, including the agents that it called. */
export interface AgentUsage extends ModelUsage {
  turns: number;
  calls: number;
}

/** Budget and permissions that an agent passes to an agent it calls. Source: R-003-17. */
export interface AgentGrant {
  /** The only abilities that it may call of its own; absent: all of them. */
  operations?: string[];
  /** SHA-256 of the canonical JSON of `operations`, to distinguish grants; absent with it. */
  digest?: string;
  calls: number;
  tokens?: number;
  cost?: number;
}

/** Where the loop of an agent is; progress is data, as for every step. */
export interface AgentProgress extends AgentUsage {
  head: string | null;
  /** Calls that the model requested in the current turn. */
  asked?: ToolCall[];
  /** Outcomes of those calls so far, by index. */
  results?: Record<string, string>;
  /** Results of the turn before, for the next request. */
  told?: ToolResult[];
  /** Why the last answer cannot be used; the next one is the last that may be so. */
  repair?: string;
  /** Refused calls, by the digest of ability and input, with the reason: they are not attempted again. */
  denied?: Record<string, string>;
}
