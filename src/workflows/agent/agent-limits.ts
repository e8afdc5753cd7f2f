import type { AgentLeft, AgentProgress } from '../../contracts/agent.js';
import type { Json } from '../../contracts/json.js';
import { usageOf } from '../../rules/agents/agent-usage.js';
import { StepFailure } from '../steps/step-failure.js';

export type AgentLimit = 'max_turns' | 'max_calls' | 'max_tokens' | 'max_cost';

const WHAT: Record<AgentLimit, string> = {
  max_turns: 'asked its model as often as it may',
  max_calls: 'made as many calls as it may',
  max_tokens: 'used as many tokens as it may',
  max_cost: 'cost as much as it may',
};

export function limitReached(limit: AgentLimit, used: AgentProgress): StepFailure {
  const usage = usageOf(used);
  const tokens = usage.input_tokens + usage.output_tokens;
  const counts = `${usage.turns} turns, ${usage.calls} calls, ${tokens} tokens`;
  return new StepFailure({
    code: `limit.${limit}`,
    message: `The agent has ${WHAT[limit]}, and has not answered: ${counts}`,
    details: { limit, used: usage as unknown as Json },
    suggestion: `Look at what it did (\`ability why\`), then raise \`limits.${limit}\` or ask for less.`,
  });
}

/** @throws StepFailure `limit.*` if the limits allow no further turn. */
export function refuseExhausted(left: AgentLeft, used: AgentProgress): void {
  if (left.turns === 0) throw limitReached('max_turns', used);
  if (left.tokens === 0) throw limitReached('max_tokens', used);
  if (left.cost === 0) throw limitReached('max_cost', used);
}
