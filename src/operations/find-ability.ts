import { AbilityError } from '../contracts/problem.js';
import { type Ability, abilityNotFound, loadedAbility } from '../definitions/find-ability.js';
import type { Registry } from '../definitions/registry.js';

/** Finds the definition of an ability. @throws AbilityError `ability.not_found`, or the error of its file. */
export async function findAbility(registry: Registry, id: string): Promise<Ability> {
  const found = loadedAbility(registry, id)?.value;
  if (found) return found;
  const broken = registry.broken.get(`ability:${id}`);
  if (broken) throw new AbilityError(broken);
  throw abilityNotFound(registry, id);
}
