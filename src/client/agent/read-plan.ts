import { z } from 'zod';
import type { AgentAnswer } from '../../contracts/agent-runtime.js';
import { USER_KEY } from '../../contracts/names.js';
import { AbilityError } from '../../contracts/problem.js';
import { refuseUnsafeKeys } from '../../rules/unsafe-keys.js';

/** So many calls a plan may have. */
export const MOST_CALLS = 50;
/** So long may an answer in words be. Characters. */
const LONGEST_ANSWER = 100_000;
/** A longer answer is not read. Characters. */
const LONGEST_TEXT = 1024 * 1024;
/** So much is told of what is wrong with an answer. */
const MOST_FAULTS = 5;

const id = z.string().regex(USER_KEY, 'has 1 to 64 letters, digits, dots, dashes and underscores');

const entry = z.strictObject({
  id,
  ability_id: z.string().min(1).max(200),
  input: z.record(z.string(), z.json()),
  after: z.array(id).max(MOST_CALLS).optional(),
});

const answer = z.strictObject({
  plan: z.array(entry).max(MOST_CALLS),
  answer: z.string().max(LONGEST_ANSWER).optional(),
});

/**
 * What an AI answered, as it has to be: one JSON object with `plan` and perhaps `answer`, and no other keys. Nothing is mended or guessed.
 *
 * @param said a text with JSON, or the value itself.
 */
export function readPlan(said: unknown): { answer: AgentAnswer } | { fault: string } {
  const value = typeof said === 'string' ? parsed(said) : said;
  if (value === undefined) return { fault: 'It is no JSON object' };
  try {
    refuseUnsafeKeys(value);
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    return { fault: error.message };
  }
  const read = answer.safeParse(value);
  if (!read.success) return { fault: read.error.issues.slice(0, MOST_FAULTS).map(wordsOf).join('; ') };
  return { answer: read.data as AgentAnswer };
}

function wordsOf({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `${path.join('.')}: ${message}`;
}

/** Models often put JSON between fences; that, and nothing else around it, is taken off. */
function parsed(text: string): unknown {
  if (text.length > LONGEST_TEXT) return undefined;
  const plain = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1] ?? text;
  try {
    return JSON.parse(plain);
  } catch {
    return undefined;
  }
}
