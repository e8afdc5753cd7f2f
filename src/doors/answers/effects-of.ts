import type { Effect } from '../../contracts/effects.js';
import { AbilityError } from '../../contracts/problem.js';
import type { Registry } from '../../definitions/registry.js';
import { resolvePlan } from '../../planning/resolve/resolve-plan.js';
import { EnvironmentVariables } from '../../planning/secrets/secret-source.js';

/** The gravest effect of an ability; null where it cannot be planned. @param env in which credentials are looked for. */
export function effectsOf(registry: Registry, id: string, environment: string, env: NodeJS.ProcessEnv): Effect | null {
  const operation = registry.operations.get(id)?.value;
  if (operation) return operation.effects;
  try {
    const variables = new EnvironmentVariables(registry.root, environment, env);
    return resolvePlan(registry, id, environment, variables).plan.ability.effects;
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    return null;
  }
}
