import type { Plan } from '../../contracts/plan.js';
import type { SourceLocation } from '../../contracts/problem.js';
import type { Registry } from '../../definitions/registry.js';
import { checkScope } from '../resolve/check-ability.js';
import { taskInput } from '../resolve/check-parameters.js';
import { resolveEnvironment } from '../resolve/resolve-environment.js';
import { resolvePlan } from '../resolve/resolve-plan.js';
import { EnvironmentVariables } from '../secrets/secret-source.js';
import { relocated } from '../steps/check-names.js';
import type { FoundSchedule } from './stated-schedules.js';

/**
 * Refuses a schedule that could never run: an unknown environment or one outside the scope, an ability that cannot
 * be planned, an invalid input. Credentials and guards are checked when it fires.
 * @returns what its tasks would run now. @throws AbilityError with the place in the definition.
 * @param variables for `env:NAME`; default: those of this process and the project's `.env` files.
 */
export function checkStated(
  registry: Registry,
  { spec, workflow, index }: FoundSchedule,
  variables = new EnvironmentVariables(registry.root, spec.environment),
): Plan {
  const { ability, environment, input } = spec;
  const place = (...path: PropertyKey[]): SourceLocation => workflow.locate(['schedules', index, ...path]);
  relocated(place('environment'), () => {
    resolveEnvironment(registry, environment);
    checkScope(ability, workflow, environment);
  });
  const { plan } = resolvePlan(registry, ability, environment, variables);
  const isWritten = Object.keys(input).length > 0;
  relocated(isWritten ? place('input') : place(), () => taskInput(plan, input));
  return plan;
}
