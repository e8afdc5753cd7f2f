import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import { NESTED_SCHEMAS, SCHEMA_KEYWORDS, SCHEMA_MAPS } from '../../definitions/json-schema-keywords.js';

const MAPS: ReadonlySet<string> = new Set(SCHEMA_MAPS);
const NESTED: ReadonlySet<string> = new Set(NESTED_SCHEMAS);

/**
 * A schema in which every keyword that JSON Schema does not know begins with `x-`.
 *
 * It means the same, since such keywords say nothing; but people see that, and lint has no reason to take them for slips.
 */
export function plainSchema(schema: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]): [string, Json] => {
      if (MAPS.has(key) && isJsonObject(value)) {
        return [key, Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plainPart(inner)]))];
      }
      if (NESTED.has(key)) return [key, Array.isArray(value) ? value.map(plainPart) : plainPart(value)];
      return [SCHEMA_KEYWORDS.has(key) || key.startsWith('x-') || key === '$async' ? key : `x-${key}`, value];
    }),
  );
}

function plainPart(part: Json): Json {
  return isJsonObject(part) ? plainSchema(part) : part;
}
