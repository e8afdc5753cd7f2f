import { isJsonObject, type Json, type JsonObject } from '../contracts/json.js';

/** Keywords of JSON Schema 2020-12, and the supported ones of older drafts. */
export const SCHEMA_KEYWORDS: ReadonlySet<string> = new Set([
  ...['$schema', '$id', '$ref', '$anchor', '$dynamicRef', '$dynamicAnchor', '$vocabulary', '$comment', '$defs'],
  ...['definitions', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas', 'dependencies'],
  ...['prefixItems', 'items', 'additionalItems', 'contains', 'properties', 'patternProperties', 'additionalProperties'],
  ...['propertyNames', 'unevaluatedItems', 'unevaluatedProperties', 'type', 'enum', 'const', 'multipleOf', 'maximum'],
  ...['exclusiveMaximum', 'minimum', 'exclusiveMinimum', 'maxLength', 'minLength', 'pattern', 'maxItems', 'minItems'],
  ...['uniqueItems', 'maxContains', 'minContains', 'maxProperties', 'minProperties', 'required', 'dependentRequired'],
  ...['title', 'description', 'default', 'deprecated', 'readOnly', 'writeOnly', 'examples', 'format', 'nullable'],
  ...['contentEncoding', 'contentMediaType', 'contentSchema', 'discriminator', 'example', 'externalDocs', 'xml'],
]);

/** Keywords whose value is a map of names to schemas. */
export const SCHEMA_MAPS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas'] as const;

/** Keywords whose value is a schema, or a list of them. */
export const NESTED_SCHEMAS = [
  ...['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'prefixItems', 'items', 'contains'],
  ...['additionalProperties', 'propertyNames', 'unevaluatedItems', 'unevaluatedProperties'],
] as const;

/** The names of the properties that a schema requires. */
export function requiredIn({ required }: JsonObject): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

/** A schema directly inside another one, the keyword that holds it, and its path. */
export interface InnerSchema {
  schema: Json | undefined;
  key: string;
  at: (string | number)[];
}

export function* innerSchemas(schema: JsonObject, maps: readonly string[] = SCHEMA_MAPS): Generator<InnerSchema> {
  for (const key of maps) {
    const map = schema[key];
    if (!isJsonObject(map)) continue;
    for (const [name, inner] of Object.entries(map)) yield { schema: inner, key, at: [key, name] };
  }
  for (const key of NESTED_SCHEMAS) {
    const inner = schema[key];
    if (!Array.isArray(inner)) yield { schema: inner, key, at: [key] };
    else for (const [index, item] of inner.entries()) yield { schema: item, key, at: [key, index] };
  }
}
