import type { AgentTurn, PlanProvider } from '../../contracts/agent-runtime.js';
import { AbilityError } from '../../contracts/problem.js';

/**
 * A provider without a model: a list of answers, one for each time it is asked, or a function that sees what a model would see and nothing else.
 *
 * Source: R-002-55.
 */
export function scriptedProvider(script: readonly unknown[] | ((turn: AgentTurn) => unknown)): PlanProvider {
  if (typeof script === 'function') {
    // What it is given is its own: it cannot change what the run knows.
    return { ask: async (turn) => script(JSON.parse(JSON.stringify(turn)) as AgentTurn) };
  }
  return {
    async ask(_, { number }) {
      if (number <= script.length) return script[number - 1];
      throw new AbilityError({
        code: 'planner.failed',
        message: `The script has ${script.length} answers, and was asked for another one`,
        suggestion: 'End the script with an answer whose `plan` is empty.',
      });
    },
  };
}
