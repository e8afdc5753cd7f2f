import type { JsonObject } from '../../contracts/json.js';
import type { Message } from './transcript.js';

/** A tool as a model is shown it. */
export interface ShownTool {
  name: string;
  description: string;
  parameters: JsonObject;
}

/** One question to a model, in no provider's form. */
export interface Question {
  instructions: string;
  messages: Message[];
  /** Instructions that are not part of the transcript. */
  note: string;
  tools: ShownTool[];
  /** Tokens that the answer may have; undefined: as many as the model gives. */
  most: number | undefined;
  /** The agent's limit that it comes from. */
  limit?: 'max_tokens' | 'max_cost';
}

/** Answer of a model, not yet validated. */
export interface Said {
  text: string;
  calls: { id: string; name: string; arguments: string }[];
  /** Undefined: it did not say. */
  usage: { input: number; output: number } | undefined;
  /** Its answer ended since it was as long as it might be. */
  isCut: boolean;
}

/** Maximum characters of a model's answer in one turn; the rest is not read. */
export const MAX_SAID = 1_000_000;
/** Calls that it may ask for in one turn. */
export const MAX_ASKED = 100;
