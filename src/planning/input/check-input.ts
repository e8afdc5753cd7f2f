import type { JsonObject } from '../../contracts/json.js';
import type { Plan, PlanOperation } from '../../contracts/plan.js';
import { AbilityError } from '../../contracts/problem.js';
import { refuseUnsafeKeys } from '../../rules/unsafe-keys.js';
import { keptParameter, type Parameters } from '../resolve/check-parameters.js';
import { checkAgainst } from './schemas.js';

type CalledOperation = Pick<PlanOperation, 'key' | 'input_schema'> & {
  implementation: Parameters & { id: string };
};

/**
 * The input over the implementation's parameters, checked.
 * @throws AbilityError `input.invalid`, also for a parameter that callers may not set. Source: R-000-46.
 */
export function operationInput(operation: CalledOperation, given: JsonObject): JsonObject {
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
  return checkExactly(input_schema, input, `The input of ${key}`);
}

/** Adds defaults; for a low-level ability, gives its call's input. @throws AbilityError `input.invalid`. */
export function taskInput({ ability, operations }: Plan, given: JsonObject): JsonObject {
  const own = ability.kind === 'operation' ? operations[ability.id] : undefined;
  if (own) return operationInput(own, given);
  return checkExactly(ability.input_schema, given, `The input of ${ability.id}`);
}

/** Refuses integers that may have been others, wherever they were read or computed. */
function checkExactly(schema: JsonObject, input: JsonObject, what: string): JsonObject {
  refuseUnsafeKeys(input, 'input.invalid', true);
  return checkAgainst(schema, input, { code: 'input.invalid', what });
}
