import { AbilityError, type SourceLocation } from '../../contracts/problem.js';
import type { Registry } from '../../definitions/registry.js';
import { taskInput } from '../input/task-input.js';
import { checkScope } from '../resolve/check-ability.js';
import { resolveEnvironment } from '../resolve/resolve-environment.js';
import { resolvePlan } from '../resolve/resolve-plan.js';
import { EnvironmentVariables } from '../secrets/environment-variables.js';
import type { FoundSchedule } from './stated-schedules.js';

/**
 * Refuses a stated schedule of which no firing could be run: an unknown environment, one outside of the scope, an ability
 * that cannot be planned, an input that breaks the contract. Credentials and guards are looked at when it fires.
 *
 * @param variables what `env:NAME` stands for; left out: what this process and the project's `.env` files say.
 * @throws AbilityError with the place in the definition.
 */
export function checkStated(
  registry: Registry,
  { spec, workflow, index }: FoundSchedule,
  variables = new EnvironmentVariables(registry.root, spec.environment),
): void {
  const { ability, environment, input } = spec;
  const place = (...path: PropertyKey[]): SourceLocation => workflow.locate(['schedules', index, ...path]);
  placed(place('environment'), () => {
    resolveEnvironment(registry, environment);
    checkScope(ability, workflow, environment);
  });
  const { plan } = resolvePlan(registry, ability, environment, variables);
  const isWritten = Object.keys(input).length > 0;
  placed(isWritten ? place('input') : place(), () => taskInput(plan, input));
}

/** @throws AbilityError of the check, with the place of what was checked. */
function placed(location: SourceLocation, check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof AbilityError)) throw error;
    throw new AbilityError({ ...error.toProblem(), location }, { cause: error });
  }
}
