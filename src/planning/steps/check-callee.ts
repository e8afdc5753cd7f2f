import { AbilityError } from '../../contracts/problem.js';
import { abilityIds } from '../../definitions/find-ability.js';
import type { HighLevel } from '../../definitions/formats/high-level.js';
import type { Loaded, Registry } from '../../definitions/registry.js';
import { didYouMean } from '../../text/nearest.js';

/**
 * Only registered and whitelisted abilities are called. Source: R-000-19, R-000-38.
 *
 * @param path of the call in the file of the workflow. @returns whether it is a task of its own: a workflow or an agent.
 * @throws AbilityError `definition.unknown_reference`, `definition.invalid`, or what is wrong with the ability called.
 */
export function checkCallee(registry: Registry, workflow: Loaded<HighLevel>, id: string, path: PropertyKey[]): boolean {
  const broken = registry.broken.get(`ability:${id}`);
  if (broken) throw new AbilityError(broken);
  const isComposite = registry.workflows.has(id) || registry.agents.has(id);
  const location = workflow.locate(path);
  if (!isComposite && !registry.operations.has(id)) {
    throw new AbilityError({
      code: 'definition.unknown_reference',
      message: `There is no ability \`${id}\``,
      location,
      suggestion: didYouMean(id, abilityIds(registry)),
    });
  }
  const whitelist = workflow.value.operations;
  if (whitelist && !whitelist.includes(id)) {
    throw new AbilityError({
      code: 'definition.invalid',
      message: `\`${id}\` is not among the \`operations\` of this workflow`,
      location,
      suggestion: 'Add it to `operations`.',
    });
  }
  return isComposite;
}
