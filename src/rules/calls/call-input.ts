import { isJsonObject, type JsonObject } from '../../contracts/json.js';
import type { PlanOperation } from '../../contracts/plan.js';

/**
 * The given values over the implementation's parameters and the schema's `default`s: guards and approvals must see
 * actual values. Hidden members stay hidden. Source: R-000-46.
 */
export function callInput({ input_schema, implementation }: PlanOperation, given: JsonObject): JsonObject {
  const defaults = { ...schemaDefaults(input_schema), ...implementation.defaults };
  const missing = Object.entries(defaults).filter(([name]) => !Object.hasOwn(given, name));
  if (missing.length === 0) return given;
  return Object.defineProperties(Object.fromEntries(missing), Object.getOwnPropertyDescriptors(given));
}

/** Top-level defaults only: deeper ones belong to values that are given. */
function schemaDefaults({ properties }: JsonObject): JsonObject {
  if (!isJsonObject(properties)) return {};
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, schema]) =>
      isJsonObject(schema) && schema.default !== undefined ? [[name, schema.default]] : [],
    ),
  );
}
