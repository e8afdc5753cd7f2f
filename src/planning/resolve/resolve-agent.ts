import type { PlanAgent, PlanOperation, PlanStep, PlanTool } from '../../contracts/plan.js';
import type { AgentProfile } from '../../definitions/formats/agent.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { TURNS } from '../../rules/agent-turns.js';
import { stepsOfAgent, toolNameOf } from './agent-tools.js';
import { refuseUnpriced } from './refuse-unpriced.js';
import { resolveModel } from './resolve-model.js';

/** What stands in a plan for an agent, besides what every ability has. */
export interface ResolvedAgent {
  agent: PlanAgent;
  steps: PlanStep[];
  model: PlanOperation;
}

/**
 * The loop of an agent: its model, and the abilities that it may ask for.
 *
 * @param tools each ability of its `operations`, as it was resolved.
 * @throws AbilityError `config.no_model`, `config.missing_price`, `script.*`. Source: docs/agent-abilities.md.
 */
export function resolveAgent(
  registry: Registry,
  agent: Loaded<AgentProfile>,
  tools: readonly Omit<PlanTool, 'name'>[],
): ResolvedAgent {
  const { model: name, instructions, limits } = agent.value;
  const model = resolveModel(registry, name, agent.locate(['model']));
  const { max_turns, max_calls, max_tokens, max_cost } = limits;
  refuseUnpriced(registry, agent);
  const taken = new Set<string>(Object.values(TURNS));
  const named = tools.map((tool) => ({ name: toolNameOf(tool.ability, taken), ...tool }));
  return {
    agent: {
      model: model.key,
      instructions,
      tools: named,
      limits: {
        max_turns,
        max_calls,
        ...(max_tokens !== undefined && { max_tokens }),
        ...(max_cost !== undefined && { max_cost }),
      },
    },
    steps: stepsOfAgent(model.key, named, max_turns),
    model,
  };
}
