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
