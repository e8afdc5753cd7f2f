import type { JsonObject } from '../../contracts/json.js';
import type { Message } from './transcript.js';

export interface ShownTool {
  name: string;
  description: string;
  parameters: JsonObject;
}

/** One request to a model, independent of providers. */
export interface Question {
  instructions: string;
  messages: Message[];
  /** Instructions that are not part of the transcript. */
  note: string;
  tools: ShownTool[];
  /** Maximum tokens of the answer; undefined: as many as the model gives. */
  maxTokens: number | undefined;
  /** The agent's limit that `maxTokens` comes from. */
  limit?: 'max_tokens' | 'max_cost';
}

export interface Said {
  text: string;
  calls: { id: string; name: string; arguments: string }[];
  /** Undefined: the model did not report it. */
  usage: { input: number; output: number } | undefined;
  /** Whether the answer ended because it reached its maximum length. */
  isCut: boolean;
}

/** Maximum characters of a model's answer in one turn; the rest is ignored. */
export const MAX_ANSWER_LENGTH = 1_000_000;
/** Maximum tool calls in one turn. */
export const MAX_CALLS_PER_TURN = 100;
