import type { AgentLeft, AgentLimit, AgentProgress } from '../../contracts/agent.js';
import type { Json } from '../../contracts/json.js';
import type { PlanAgent } from '../../contracts/plan.js';
import { limitsWithin, TURNS, usageOf } from '../../rules/agents.js';
import { GUARD_APPROVAL_MS } from '../../rules/calls/call-defaults.js';
import { askToRaise, subjectOf } from '../approvals/await-approval.js';
import type { Frame } from '../steps/frame.js';
import { StepFailure } from '../steps/step-failure.js';

const WHAT: Record<AgentLimit, string> = {
  max_turns: 'asked its model as often as it may',
  max_calls: 'made as many calls as it may',
  max_tokens: 'used as many tokens as it may',
  max_cost: 'cost as much as it may',
};

export function limitReached(limit: AgentLimit, used: AgentProgress): StepFailure {
  return new StepFailure({
    code: `limit.${limit}`,
    message: `The agent has ${WHAT[limit]}, and has not answered: ${usedInWords(used)}`,
    details: { limit, used: usageOf(used) as unknown as Json },
    suggestion: `Look at what it did (\`ability why\`), then raise \`limits.${limit}\` or ask for less.`,
  });
}

function usedInWords(used: AgentProgress): string {
  const { input_tokens, output_tokens, turns, calls } = usageOf(used);
  return `${turns} turns, ${calls} calls, ${input_tokens + output_tokens} tokens`;
}

/** Which limit allows no further turn. */
export function exhaustedOf(left: AgentLeft): AgentLimit | undefined {
  if (left.turns === 0) return 'max_turns';
  if (left.tokens === 0) return 'max_tokens';
  return left.cost === 0 ? 'max_cost' : undefined;
}

/**
 * At a limit. With `on_limit: ask`, people are asked by how much to raise it, and the agent goes on; a limit that they leave
 * where it is, is reached at once again. @throws StepFailure `limit.*`, also if it is denied or no one decides; cancellation;
 * BranchStopped.
 */
export async function atLimit(limit: AgentLimit, agent: PlanAgent, { run, budget, branchStop }: Frame): Promise<void> {
  const used = run.steps.entry(TURNS.turns).agent as AgentProgress;
  if (agent.limits.on_limit !== 'ask') throw limitReached(limit, used);
  const { ability } = run.task.plan;
  const { [limit]: is = 0 } = limitsWithin(agent.limits, run.task.start.child?.agent, used);
  run.steps.note(TURNS.turns, TURNS.turns, { status: 'waiting' });
  const request = {
    path: TURNS.turns,
    step: TURNS.turns,
    title: `Raise ${limit} of ${ability.id}, which is ${is}?`,
    what: subjectOf(run, { limit, is, used: usageOf(used) as unknown as Json }),
    reasons: [{ text: `The agent has ${WHAT[limit]}: ${usedInWords(used)}.` }],
    expiresMs: budget.capWait(GUARD_APPROVAL_MS),
  };
  const raised = await askToRaise(run, request, limit === 'max_cost' ? 'number' : 'integer', branchStop);
  if (!raised) throw limitReached(limit, used);
  run.steps.note(TURNS.turns, TURNS.turns, { status: 'running' });
  // A note makes a new entry.
  const sum = { ...used.raised, [limit]: (used.raised?.[limit] ?? 0) + raised.by };
  run.steps.entry(TURNS.turns).agent = { ...used, raised: sum };
}
