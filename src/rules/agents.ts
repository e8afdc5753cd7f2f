import type { AgentGrant, AgentLeft, AgentProgress, AgentUsage, ModelUsage } from '../contracts/agent.js';
import { PHASES } from '../contracts/hooks.js';
import type { Json } from '../contracts/json.js';
import type { Plan, PlanAgentLimits } from '../contracts/plan.js';
import { defined } from '../text/defined.js';
import { allSteps } from './steps/step-tree.js';

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

/** Prefix of a model's key among the operations of a plan. No ability id has a colon. */
export const MODEL_PREFIX = 'model:';

export function isModelKey(key: string): boolean {
  return key.startsWith(MODEL_PREFIX);
}

/** Whether an activity of this type is a call of an operation, not a hook or one of the runtime itself. */
export function isOperation(type: string): boolean {
  return (!type.includes(':') || isModelKey(type)) && !(PHASES as readonly string[]).includes(type);
}

/** Whether an ability is an agent, or calls one, directly or not. */
export function callsAgent(plan: Plan, ability: string | undefined, seen: ReadonlySet<string> = new Set()): boolean {
  const { workflows = {} } = plan;
  const called = ability !== undefined && Object.hasOwn(workflows, ability) ? workflows[ability] : undefined;
  if (!called || ability === undefined || seen.has(ability)) return false;
  if (called.agent) return true;
  const path = new Set([...seen, ability]);
  return allSteps(called).some(
    ({ step }) =>
      step.verb === 'call' && (callsAgent(plan, step.call, path) || callsAgent(plan, step.undo?.call, path)),
  );
}

export type ToolCallResult =
  | { status: 'succeeded'; output: Json; changed?: string }
  | { status: string; error: { code: string; message: string; suggestion?: string } };

/** Maximum characters of a result: no answer of a tool may fill the history or the context. */
const MAX_CHARACTERS = 16_000;
const MAX_MESSAGE = 2_000;

/** The JSON of a result; a long output is reduced to its beginning and end. */
export function textOfResult(result: ToolCallResult): string {
  if ('error' in result) {
    const { message } = result.error;
    return JSON.stringify({ ...result, error: { ...result.error, message: message.slice(0, MAX_MESSAGE) } });
  }
  const text = JSON.stringify(result);
  if (text.length <= MAX_CHARACTERS) return text;
  const output = JSON.stringify(result.output);
  const half = MAX_CHARACTERS / 2;
  return JSON.stringify({
    status: result.status,
    ...(result.changed !== undefined && { changed: result.changed }),
    cut: `The output has ${output.length} characters; the middle is left out.`,
    beginning: output.slice(0, half),
    end: output.slice(-half),
  });
}
