import { AbilityError } from '../../contracts/problem.js';
import type { AgentProfile } from '../../definitions/formats/agent.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { didYouMean } from '../../text/nearest.js';
import { checkSchemas } from './check-ability.js';
import { checkExamples } from './check-examples.js';

/**
 * Checks the profile of an agent: its schemas, its examples, and that what it may call is defined.
 *
 * @throws AbilityError `definition.invalid`, `definition.unknown_reference`.
 */
export function checkAgent(registry: Registry, agent: Loaded<AgentProfile>): void {
  checkSchemas(agent);
  checkExamples(agent);
  const { operations, workflows, agents } = registry;
  for (const [index, id] of agent.value.operations.entries()) {
    if (operations.has(id) || workflows.has(id) || agents.has(id)) continue;
    const broken = registry.broken.get(`ability:${id}`);
    if (broken) throw new AbilityError(broken);
    throw new AbilityError({
      code: 'definition.unknown_reference',
      message: `There is no ability \`${id}\``,
      location: agent.locate(['operations', index]),
      suggestion: didYouMean(id, [...operations.keys(), ...workflows.keys(), ...agents.keys()]),
    });
  }
}
