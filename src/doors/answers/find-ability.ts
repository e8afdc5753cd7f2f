import { AbilityError } from '../../contracts/problem.js';
import type { Registry } from '../../definitions/registry.js';

/** Finds the definition of an ability. @throws AbilityError `ability.not_found`, or the error of its file. */
export async function findAbility(registry: Registry, id: string) {
  const { operations, workflows, agents } = registry;
  const found = operations.get(id)?.value ?? workflows.get(id)?.value ?? agents.get(id)?.value;
  if (found) return found;
  const broken = registry.broken.get(`ability:${id}`);
  if (broken) throw new AbilityError(broken);
  const { abilityNotFound } = await import('../../definitions/find-ability.js');
  throw abilityNotFound(registry, id);
}
