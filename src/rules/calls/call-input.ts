import { isJsonObject, type JsonObject } from '../../contracts/json.js';
import { FIRST_CEL } from '../../contracts/names.js';
import type { Plan, PlanOperation } from '../../contracts/plan.js';

/**
 * What a call is asked and shown with: what is given, over the parameters of the implementation and the `default`s of
 * the schema. A guard that looks at `input.target` must see the target that is used, also where it is a default.
 *
 * Members that are hidden stay so. Plans of the first version go on with what was given. Source: R-000-46.
 */
export function callInput(
  { cel }: Pick<Plan, 'cel'>,
  { input_schema, implementation }: PlanOperation,
  given: JsonObject,
): JsonObject {
  if ((cel ?? FIRST_CEL) === FIRST_CEL) return given;
  const defaults = { ...schemaDefaults(input_schema), ...implementation.defaults };
  const missing = Object.entries(defaults).filter(([name]) => !Object.hasOwn(given, name));
  if (missing.length === 0) return given;
  return Object.defineProperties(Object.fromEntries(missing), Object.getOwnPropertyDescriptors(given));
}

/** Those of the value's own members; a default deeper down belongs to a value that was given. */
function schemaDefaults({ properties }: JsonObject): JsonObject {
  if (!isJsonObject(properties)) return {};
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, schema]) =>
      isJsonObject(schema) && schema.default !== undefined ? [[name, schema.default]] : [],
    ),
  );
}
