import type { Effect } from '../../contracts/effects.js';
import { AbilityError } from '../../contracts/problem.js';
import { loadedAbility } from '../../definitions/find-ability.js';
import type { Registry } from '../../definitions/registry.js';
import { withoutMarks } from '../../definitions/step-lists.js';
import { resolvePlan } from '../../planning/resolve/resolve-plan.js';
import { EnvironmentVariables } from '../../planning/secrets/secret-source.js';
import { inferPlacement } from '../../planning/steps/infer-placement.js';
import { digestOf } from '../../rules/canonical.js';

/** Reads files only. `plan` and `digest` are null if it cannot run in the environment: see `problem`. */
export function describeAbility(registry: Registry, id: string, environment: string, variables: EnvironmentVariables) {
  const found = loadedAbility(registry, id)?.value;
  const definition = found && 'steps' in found ? withoutMarks(found) : found;
  const placement = inferPlacement(registry, id, environment);
  try {
    const { plan, warnings } = resolvePlan(registry, id, environment, variables);
    return { definition, environment, placement, digest: digestOf(plan), plan, warnings, problem: null };
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    const none = { digest: null, plan: null, warnings: [] };
    return { definition, environment, placement, ...none, problem: error.toProblem() };
  }
}

/** The strongest effect; null if it cannot be planned. @param env is searched for credentials. */
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
