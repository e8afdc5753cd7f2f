import type { JsonObject } from '../../contracts/json.js';
import type { Plan, PlanOperation } from '../../contracts/plan.js';
import { AbilityError } from '../../contracts/problem.js';
import { keptParameter, type Parameters } from '../resolve/check-parameters.js';
import { checkAgainst } from './schemas.js';

/** The parts of an operation that determine the input of its calls. */
type CalledOperation = Pick<PlanOperation, 'key' | 'input_schema'> & {
  implementation: Parameters & { id: string };
};

/**
 * The input of a call with its implementation's parameters under it, checked against the contract.
 *
 * @param engine of the plan that holds the operation; absent: that of this build.
 * @throws AbilityError `input.invalid`, also for a parameter that callers may not set. Source: R-000-46.
 */
export function operationInput(operation: CalledOperation, given: JsonObject, engine?: number): JsonObject {
  const { key, input_schema, implementation } = operation;
  const kept = keptParameter(operation, given);
  if (kept !== undefined) {
    throw new AbilityError({
      code: 'input.invalid',
      message: `\`${kept}\` is set by the implementation ${implementation.id} of ${key}, and callers may not change it`,
      suggestion: 'Leave it out, or list it as `overridable` at the implementation.',
    });
  }
  const input = { ...implementation.defaults, ...given };
  return checkAgainst(input_schema, input, { code: 'input.invalid', what: `The input of ${key}`, engine });
}

/**
 * The input of a task with defaults applied, checked against the contract.
 *
 * A low-level ability is a single call, so the input shown and sealed is the one that the call will get.
 *
 * @throws AbilityError `input.invalid`.
 */
export function taskInput({ ability, operations, engine }: Plan, given: JsonObject): JsonObject {
  const own = ability.kind === 'operation' ? operations[ability.id] : undefined;
  if (own) return operationInput(own, given, engine);
  const what = `The input of ${ability.id}`;
  return checkAgainst(ability.input_schema, given, { code: 'input.invalid', what, engine });
}
