import { z } from 'zod';
import type { AgentAnswer, AgentTurn, CallReport, PlanProvider } from '../../contracts/agent-runtime.js';
import { USER_KEY } from '../../contracts/names.js';
import { AbilityError, reasonOf } from '../../contracts/problem.js';
import { startOf } from '../../rules/shown-text.js';
import { refuseUnsafeKeys } from '../../rules/unsafe-keys.js';
import { readInput } from '../../text/lossless-json/read-json.js';

/** The maximum part of an invalid answer that the repeated request quotes. Characters. */
const MAX_REPEATED = 2000;

interface Asking {
  provider: PlanProvider;
  turn: AgentTurn;
  turnNumber: number;
  session: string;
  /** The number of earlier requests in this run. */
  asks: number;
  signal: AbortSignal;
}

/**
 * Requests an answer again, once, if it cannot be parsed, with the error as a further result.
 * @returns the answer, and the number of requests so far.
 * @throws AbilityError `planner.answer_invalid`, `planner.failed`, `planner.timeout`.
 */
export async function askProvider(asking: Asking): Promise<{ answer: AgentAnswer; asks: number }> {
  const first = await askOnce(asking);
  if ('answer' in first) return { answer: first.answer, asks: asking.asks + 1 };
  const results = [...asking.turn.results, unreadable(asking.turnNumber, first)];
  const again = { ...asking, turn: { ...asking.turn, results }, asks: asking.asks + 1 };
  const second = await askOnce(again);
  if ('answer' in second) return { answer: second.answer, asks: asking.asks + 2 };
  throw new AbilityError({
    code: 'planner.answer_invalid',
    message: `The AI twice sent a plan that cannot be read: ${startOf(second.fault, 500)}`,
    suggestion:
      'It has to answer with {"plan": [{"id", "ability_id", "input", "after"?}], "answer"?} and no other keys.',
  });
}

type Read = { answer: AgentAnswer } | { fault: string; said: string };

async function askOnce({ provider, turn, session, asks, signal }: Asking): Promise<Read> {
  const said = await guarded(() => provider.ask(turn, { number: asks + 1, session }, signal));
  const read = readPlan(said);
  if ('answer' in read) return read;
  return { fault: read.fault, said: typeof said === 'string' ? said : (JSON.stringify(said) ?? String(said)) };
}

/** Any error of a provider becomes `planner.failed`. */
async function guarded<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof AbilityError) throw error;
    const message = `The request to the AI failed: ${reasonOf(error)}`;
    throw new AbilityError({ code: 'planner.failed', message }, { cause: error });
  }
}

function unreadable(turn: number, { fault, said }: { fault: string; said: string }): CallReport {
  return {
    turn,
    id: null,
    ability_id: null,
    task_key: null,
    status: 'refused',
    output: startOf(said, MAX_REPEATED),
    error: {
      code: 'planner.answer_invalid',
      reason: `The answer cannot be read: ${fault}`,
      suggestion: 'Answer with one JSON object with `plan`, and perhaps `answer`, and no other keys.',
    },
  };
}

export const MAX_CALLS = 50;
/** The maximum length of `answer`. Characters. */
const LONGEST_ANSWER = 100_000;
/** Longer texts are not parsed. Characters. */
const LONGEST_TEXT = 1024 * 1024;
const MAX_FAULTS = 5;

const id = z.string().regex(USER_KEY, 'has 1 to 64 letters, digits, dots, dashes and underscores');

const entry = z.strictObject({
  id,
  ability_id: z.string().min(1).max(200),
  input: z.record(z.string(), z.json()),
  after: z.array(id).max(MAX_CALLS).optional(),
});

const answer = z.strictObject({
  plan: z.array(entry).max(MAX_CALLS),
  answer: z.string().max(LONGEST_ANSWER).optional(),
});

/** One JSON object with `plan`, perhaps `answer`, no other keys; not repaired. @param said JSON or a value. */
export function readPlan(said: unknown): { answer: AgentAnswer } | { fault: string } {
  let value = said;
  try {
    if (typeof said === 'string') value = parsed(said);
    if (value === undefined) return { fault: 'It is no JSON object' };
    refuseUnsafeKeys(value);
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    return { fault: error.message };
  }
  const read = answer.safeParse(value);
  if (!read.success) return { fault: read.error.issues.slice(0, MAX_FAULTS).map(wordsOf).join('; ') };
  return { answer: read.data as AgentAnswer };
}

function wordsOf({ path, message }: z.core.$ZodIssue): string {
  return path.length === 0 ? message : `${path.join('.')}: ${message}`;
}

/**
 * Accepts JSON in a Markdown code fence, since models often add one. @throws AbilityError for what is no JSON, or would
 * be changed.
 */
function parsed(text: string): unknown {
  if (text.length > LONGEST_TEXT) return undefined;
  const plain = /^\s*```(?:json)?\s*\n([\s\S]*?)\n?```\s*$/.exec(text)?.[1] ?? text;
  return readInput(plain, { what: 'It' });
}
