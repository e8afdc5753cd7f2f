import type { AgentUsage } from '../../../../contracts/agent.js';
import type { PlanAgentLimits } from '../../../../contracts/plan.js';

/** What an agent has used up, in a line. */
export function describeUsage({ turns, calls, input_tokens, output_tokens, cost, estimated }: AgentUsage): string {
  const about = estimated ? 'about ' : '';
  const price = cost === undefined ? '' : `, a cost of ${about}${Number(cost.toPrecision(3))}`;
  return `${count(turns, 'turn')}, ${count(calls, 'call')}, ${about}${input_tokens} tokens read and ${output_tokens} written${price}`;
}

/** What an agent may use up, in a line. */
export function describeAgentLimits({ max_turns, max_calls, max_tokens, max_cost }: PlanAgentLimits): string {
  return [
    `at most ${count(max_turns, 'turn')}`,
    count(max_calls, 'call'),
    ...(max_tokens === undefined ? [] : [`${max_tokens} tokens`]),
    ...(max_cost === undefined ? [] : [`a cost of ${max_cost}`]),
  ].join(', ');
}

function count(number: number, one: string): string {
  return `${number} ${one}${number === 1 ? '' : 's'}`;
}
