import type { AgentAnswer, AgentTurn, CallReport, PlanProvider } from '../../contracts/agent-runtime.js';
import { AbilityError } from '../../contracts/problem.js';
import { startOf } from '../../rules/shown-text.js';
import { readPlan } from './read-plan.js';

/** So much of an answer that cannot be read is shown again. Characters. */
const MOST_REPEATED = 2000;

/** What is asked, and as which answer of the AI. */
interface Asking {
  provider: PlanProvider;
  turn: AgentTurn;
  /** Which answer of the AI it will be, for its reports. */
  turnNumber: number;
  session: string;
  /** How often it was asked before. */
  asks: number;
  signal: AbortSignal;
}

/**
 * Asks an AI for a plan. An answer that cannot be read goes back to it once, as one more result, with what is wrong.
 *
 * @returns its answer, and how often it was asked by now.
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
    message: `The AI gave no plan that can be read, twice: ${startOf(second.fault, 500)}`,
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

/** Whatever a provider of a caller's own throws is a failure of the model, and never the end of this process. */
async function guarded<T>(ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof AbilityError) throw error;
    const message = `The AI was asked in vain: ${error instanceof Error ? error.message : String(error)}`;
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
    output: startOf(said, MOST_REPEATED),
    error: {
      code: 'planner.answer_invalid',
      reason: `The answer cannot be read: ${fault}`,
      suggestion: 'Answer with one JSON object with `plan`, and perhaps `answer`, and no other keys.',
    },
  };
}
