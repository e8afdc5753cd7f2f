import type { AgentGrant, AgentLeft, AgentProgress, AgentUsage, ModelUsage } from '../../contracts/agent.js';
import type { PlanAgentLimits } from '../../contracts/plan.js';
import { defined } from '../../text/defined.js';

/** Ids of the steps of an agent. No tool has such a name. */
export const TURNS = { turns: 'turns', model: 'model', calls: 'calls' } as const;

export const UNUSED: AgentUsage = { turns: 0, calls: 0, input_tokens: 0, output_tokens: 0 };

export function addUsage<Usage extends AgentUsage>(to: Usage, added: ModelUsage & Partial<AgentUsage>): Usage {
  const cost = added.cost === undefined && to.cost === undefined ? undefined : (to.cost ?? 0) + (added.cost ?? 0);
  return {
    ...to,
    calls: to.calls + (added.calls ?? 0),
    input_tokens: to.input_tokens + added.input_tokens,
    output_tokens: to.output_tokens + added.output_tokens,
    ...(cost !== undefined && { cost }),
    ...((to.estimated || added.estimated) && { estimated: true as const }),
  };
}

export function usageOf({ turns, calls, input_tokens, output_tokens, cost, estimated }: AgentUsage): AgentUsage {
  return { turns, calls, input_tokens, output_tokens, ...defined({ cost }), ...(estimated && { estimated }) };
}

/**
 * The agent's own limits, reduced to the remaining ones of the agent that called it, and raised by what people have
 * allowed since.
 */
export function limitsWithin(
  own: PlanAgentLimits,
  grant: AgentGrant | undefined,
  { raised = {} }: Pick<AgentProgress, 'raised'>,
): PlanAgentLimits {
  const max_tokens = least(own.max_tokens, grant?.tokens);
  const max_cost = least(own.max_cost, grant?.cost);
  return {
    max_turns: own.max_turns + (raised.max_turns ?? 0),
    max_calls: Math.min(own.max_calls, grant?.calls ?? own.max_calls) + (raised.max_calls ?? 0),
    ...(max_tokens !== undefined && { max_tokens: max_tokens + (raised.max_tokens ?? 0) }),
    ...(max_cost !== undefined && { max_cost: max_cost + (raised.max_cost ?? 0) }),
  };
}

/** @param seconds the remaining working time. */
export function leftOf(limits: PlanAgentLimits, used: AgentUsage, seconds: number): AgentLeft {
  const { max_turns, max_calls, max_tokens, max_cost } = limits;
  const above = (left: number): number => Math.max(0, left);
  return {
    turns: above(max_turns - used.turns),
    calls: above(max_calls - used.calls),
    ...(max_tokens !== undefined && { tokens: above(max_tokens - used.input_tokens - used.output_tokens) }),
    ...(max_cost !== undefined && { cost: above(max_cost - (used.cost ?? 0)) }),
    seconds,
  };
}

/** What a workflow passes on after calling agents: less their usage, without the list of callable abilities. */
export function grantLeft(grant: AgentGrant | undefined, used: AgentUsage | undefined): AgentGrant | undefined {
  if (!grant) return undefined;
  const { calls, tokens, cost } = grant;
  const limits = { max_turns: 0, max_calls: calls, ...defined({ max_tokens: tokens, max_cost: cost }) };
  const left = leftOf(limits, used ?? UNUSED, 0);
  return { calls: left.calls, ...defined({ tokens: left.tokens, cost: left.cost }) };
}

function least(one: number | undefined, other: number | undefined): number | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return Math.min(one, other);
}
