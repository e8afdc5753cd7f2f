import type { Effect } from '../../contracts/effects.js';
import type { Plan } from '../../contracts/plan.js';
import { AbilityError, type Problem } from '../../contracts/problem.js';
import type { Registry } from '../../definitions/registry.js';
import { withoutMarks } from '../../definitions/step-lists.js';
import { resolvePlan } from '../../planning/resolve/resolve-plan.js';
import { EnvironmentVariables } from '../../planning/secrets/secret-source.js';
import { inferPlacement } from '../../planning/steps/infer-placement.js';
import { digestOf } from '../../rules/canonical.js';

/** The contract of an ability, and how it would run in an environment. */
interface DescribedAbility {
  definition: unknown;
  environment: string;
  placement: ReturnType<typeof inferPlacement>;
  /** Of the plan; null, as that is, where it cannot run there. */
  digest: string | null;
  plan: Plan | null;
  warnings: string[];
  /** Why it cannot run there. */
  problem: Problem | null;
}

/** Describes an ability that the registry has. Reads files only. */
export function describeAbility(
  registry: Registry,
  id: string,
  environment: string,
  variables: EnvironmentVariables,
): DescribedAbility {
  const { operations, workflows, agents } = registry;
  const workflow = workflows.get(id)?.value;
  const definition = workflow ? withoutMarks(workflow) : (operations.get(id)?.value ?? agents.get(id)?.value);
  const placement = inferPlacement(registry, id, environment);
  try {
    const { plan, warnings } = resolvePlan(registry, id, environment, variables);
    return { definition, environment, placement, digest: digestOf(plan), plan, warnings, problem: null };
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    const problem = error.toProblem();
    return { definition, environment, placement, digest: null, plan: null, warnings: [], problem };
  }
}

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
