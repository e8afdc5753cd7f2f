import type { JsonObject } from '../../contracts/json.js';
import type { Plan } from '../../contracts/plan.js';
import { operationInput } from './operation-input.js';
import { checkAgainst } from './schemas.js';

/**
 * The input of a task with defaults applied, checked against the contract.
 *
 * A low-level ability is one call of itself, so what is shown and sealed is what that call will get.
 *
 * @throws AbilityError `input.invalid`.
 */
export function taskInput({ ability, operations, engine }: Plan, given: JsonObject): JsonObject {
  const own = ability.kind === 'operation' ? operations[ability.id] : undefined;
  if (own) return operationInput(own, given, engine);
  const what = `The input of ${ability.id}`;
  return checkAgainst(ability.input_schema, given, { code: 'input.invalid', what, engine });
}
