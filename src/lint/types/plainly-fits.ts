import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';

const SAYS_NOTHING: ReadonlySet<string> = new Set(['$schema', '$id', 'title', 'description', 'examples', 'default']);
const OF_OBJECTS: ReadonlySet<string> = new Set([
  ...['type', 'required', 'properties', 'additionalProperties'],
  ...SAYS_NOTHING,
]);

/**
 * Whether a value satisfies a schema of a simple form, without compiling the schema, which takes a millisecond.
 *
 * @param isOpen what is looked at elsewhere. @returns false also where only the whole check can tell.
 */
export function plainlyFits(schema: JsonObject, value: Json, isOpen: (value: Json) => boolean): boolean {
  if (!isJsonObject(value) || schema.type !== 'object') return false;
  if (!Object.keys(schema).every((key) => OF_OBJECTS.has(key))) return false;
  const { required = [], properties = {}, additionalProperties = true } = schema;
  if (!Array.isArray(required) || !isJsonObject(properties) || typeof additionalProperties !== 'boolean') return false;
  if (!required.every((name) => typeof name === 'string' && Object.hasOwn(value, name))) return false;
  return Object.entries(value).every(([name, item]) => {
    if (!Object.hasOwn(properties, name)) return additionalProperties;
    return isOpen(item) || isPlainText(properties[name], item);
  });
}

function isPlainText(schema: Json | undefined, value: Json): boolean {
  if (!isJsonObject(schema) || typeof value !== 'string' || schema.type !== 'string') return false;
  return Object.keys(schema).every((key) => key === 'type' || SAYS_NOTHING.has(key));
}
