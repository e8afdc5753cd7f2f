import { isJsonObject, type Json, type JsonObject } from '../../../contracts/json.js';
import { RESERVED_NAMES } from '../../../contracts/names.js';
import { AbilityError } from '../../../contracts/problem.js';

export interface SchemaPart {
  schema: JsonObject;
  path: string[];
}

/** Keywords that choose a schema during validation, with the suggestion for each. */
const DYNAMIC: Record<string, string> = {
  $dynamicRef: 'Use `$ref`; `$dynamicAnchor` may remain, and then counts as an `$anchor`.',
  $recursiveRef: 'Use `$ref: "#"`.',
  $recursiveAnchor: 'Leave it out, and refer to the schema by `$ref`.',
};

/**
 * Refuses keywords that the validator does not read as JSON Schema 2020-12. @param parts all schemas of one
 * contract. @throws AbilityError `feature.unsupported`, `definition.invalid`; `details.path` leads to the keyword.
 */
export function refuseKeywords(parts: readonly SchemaPart[], what: string): void {
  const hasContains = parts.some(({ schema }) => schema.contains !== undefined);
  for (const { schema, path } of parts) {
    for (const [keyword, instead] of Object.entries(DYNAMIC)) {
      if (Object.hasOwn(schema, keyword)) throw unsupported(`${what} uses \`${keyword}\``, instead, [...path, keyword]);
    }
    if (hasContains && schema.unevaluatedItems !== undefined) {
      const message = `${what} uses \`unevaluatedItems\` together with \`contains\``;
      throw unsupported(message, 'Describe the items by `prefixItems` and `items`.', [...path, 'unevaluatedItems']);
    }
    if (Array.isArray(schema.enum) && schema.enum.length === 0) {
      throw new AbilityError({
        code: 'definition.invalid',
        message: `${what} has an \`enum\` without values, which nothing satisfies`,
        details: { path: [...path, 'enum'] },
        suggestion: 'List the values, or use `not: {}` where nothing is allowed.',
      });
    }
    refuseInheritedNames(schema.properties, path, what);
  }
}

/** Such as `toString`, for which ajv fills in no default; `__proto__` is forbidden in any value. */
function refuseInheritedNames(properties: Json | undefined, path: readonly string[], what: string): void {
  if (!isJsonObject(properties)) return;
  for (const [name, property] of Object.entries(properties)) {
    if (name === '__proto__') {
      const message = `${what} describes a property \`__proto__\`, which no value may have`;
      throw unsupported(message, 'Rename the property.', [...path, 'properties', name]);
    }
    if (!RESERVED_NAMES.has(name) || !isJsonObject(property) || property.default === undefined) continue;
    const message = `${what} has a default for \`${name}\`, which is never filled in, since every object has that name`;
    throw unsupported(message, 'Rename the property, or leave out its default.', [
      ...path,
      'properties',
      name,
      'default',
    ]);
  }
}

function unsupported(message: string, suggestion: string, path: string[]): AbilityError {
  return new AbilityError({ code: 'feature.unsupported', message, details: { path }, suggestion });
}
