import { AbilityError } from '../../contracts/problem.js';
import type { AgentProfile } from '../../definitions/formats/agent.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { allowedCalls } from '../steps/called-abilities.js';

/**
 * Refuses an agent with a `max_cost` whose model has no price, or that reaches an agent whose model has none: what costs
 * nothing on paper never comes up to a limit.
 *
 * @throws AbilityError `config.missing_price`. Source: docs/agent-abilities.md.
 */
export function refuseUnpriced(registry: Registry, agent: Loaded<AgentProfile>): void {
  const { id, limits } = agent.value;
  if (limits.max_cost === undefined) return;
  for (const one of agentsFrom(registry, id, new Set())) {
    const { model } = one;
    const definition = Object.hasOwn(registry.project.models, model) ? registry.project.models[model] : undefined;
    if (!definition || definition.price) continue;
    const whose = one.id === id ? `the model \`${model}\`` : `the model \`${model}\` of ${one.id}, which it may call,`;
    throw new AbilityError({
      code: 'config.missing_price',
      message: `${id} has a \`max_cost\`, and ${whose} has no price`,
      location: agent.locate(['limits', 'max_cost']),
      suggestion: `Write \`models.${model}.price\` in ability.yaml: { input, output } for a million tokens each.`,
    });
  }
}

/** An agent, and those that it, or what it calls, may call; each once. */
function* agentsFrom(registry: Registry, id: string, seen: Set<string>): Generator<AgentProfile> {
  if (seen.has(id)) return;
  seen.add(id);
  const agent = registry.agents.get(id)?.value;
  if (agent) yield agent;
  const workflow = registry.workflows.get(id)?.value;
  const called = agent?.operations ?? (workflow ? allowedCalls(workflow) : []);
  for (const one of called) yield* agentsFrom(registry, one, seen);
}
