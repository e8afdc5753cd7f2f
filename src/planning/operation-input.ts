import type { JsonObject } from '../contracts/json.js';
import type { PlanOperation } from '../contracts/plan.js';
import { AbilityError } from '../contracts/problem.js';
import { checkAgainst } from './schemas.js';

/**
 * The input of a call with its implementation's parameters under it, checked against the contract.
 *
 * @throws AbilityError `input.invalid`, also for a parameter that callers may not set. Source: R-000-46.
 */
export function operationInput({ key, input_schema, implementation }: PlanOperation, given: JsonObject): JsonObject {
  const { defaults, overridable, id } = implementation;
  for (const [name, value] of Object.entries(defaults)) {
    if (!Object.hasOwn(given, name) || overridable.includes(name)) continue;
    if (JSON.stringify(given[name]) === JSON.stringify(value)) continue;
    throw new AbilityError({ code: 'input.invalid', message: `\`${name}\` is set by the implementation ${id}` });
  }
  return checkAgainst(input_schema, { ...defaults, ...given }, { code: 'input.invalid', what: `The input of ${key}` });
}
