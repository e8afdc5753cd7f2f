import type { Json, JsonObject } from './json.js';
import type { Problem } from './problem.js';

/** One turn's request to a model; earlier messages are in the transcript. Source: docs/agent-abilities.md. */
export interface ModelRequest {
  /** SHA-256 of the transcript's last link in the store; null: the first turn. */
  head: string | null;
  input?: JsonObject;
  results?: ToolResult[];
  /** Why the last answer cannot be used. */
  repair?: string;
  left: AgentLeft;
  /** Names of the tools that the model may request; absent: all tools of its plan. */
  tools?: string[];
}

/** Remaining budget of an agent. */
export interface AgentLeft {
  /** Including the one that begins. In the last turn no tools are offered. */
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
  /** As the model named it. */
  id: string;
  /** JSON, truncated if long. */
  content: string;
}

/** Answer of a model in one turn. */
export interface ModelAnswer {
  /** SHA-256 of the transcript's last link, with this turn. */
  head: string;
  /** Text of the answer, truncated if long; the transcript has all of it. Absent: none. */
  text?: string;
  /** Requested tool calls; absent: none, so this is the agent's final answer. */
  calls?: ToolCall[];
  /** The answer in the form of the agent's contract: JSON with an `output_schema`, else text. */
  answer?: Json;
  unusable?: string;
  usage: ModelUsage;
}

/** A call that a model requests. */
export interface ToolCall {
  id: string;
  /** Name of a tool of its plan, or any other name that the model gave. */
  tool: string;
  input: JsonObject;
  /** Why the call is not made: the tool does not exist, or its input is invalid. */
  problem?: Problem;
}

/** Usage of one or several turns. */
export interface ModelUsage {
  input_tokens: number;
  output_tokens: number;
  /** The endpoint did not report the usage, so it is estimated from the length of the texts. */
  estimated?: true;
  /** From the price of the model; absent: no price is configured. */
  cost?: number;
}

/** Usage of an agent's task so far, including the agents that it called. */
export interface AgentUsage extends ModelUsage {
  turns: number;
  calls: number;
}

/** Budget and permissions that an agent passes to an agent it calls. Source: R-003-17. */
export interface AgentGrant {
  /** The only ones of its own abilities that it may call; absent: all of them. */
  operations?: string[];
  /** SHA-256 of the canonical JSON of `operations`, to distinguish grants; absent with it. */
  digest?: string;
  calls: number;
  tokens?: number;
  cost?: number;
}

/** What an agent may use at most, by the names of `limits`. */
export type AgentLimit = 'max_turns' | 'max_calls' | 'max_tokens' | 'max_cost';

/** State of an agent's loop; it is data, like the progress of every step. */
export interface AgentProgress extends AgentUsage {
  head: string | null;
  /** Calls that the model requested in the current turn. */
  asked?: ToolCall[];
  /** Outcomes of those calls so far, by index. */
  results?: Record<string, string>;
  /** Results of the previous turn, for the next request. */
  told?: ToolResult[];
  /** Why the last answer cannot be used; the agent fails if the next one cannot be used either. */
  repair?: string;
  /** By how much people have raised its limits. */
  raised?: Partial<Record<AgentLimit, number>>;
  /** Refused calls with the reason, by the digest of ability and input; they are not attempted again. */
  denied?: Record<string, string>;
}
