import { z } from 'zod';
import type { JsonObject } from '../../contracts/json.js';
import { describeApi } from './describe-api.js';

/** Draft 7 is what the language servers of editors know best. */
const TARGET = 'draft-7';

/**
 * The JSON Schema of a format: what an author writes, before defaults and transformations.
 *
 * Rules that a JSON Schema can tell stand in the `meta` of the formats; all others are left to the loader.
 */
export function jsonSchemaOf(format: z.ZodType): JsonObject {
  const schema = z.toJSONSchema(format, {
    io: 'input',
    target: TARGET,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      // A key that belongs to another variant; without this it would pass with any value.
      if (zodSchema._zod.def.type === 'undefined') jsonSchema.not = {};
    },
  });
  return describeApi(withAnyJson(JSON.parse(JSON.stringify(schema)) as JsonObject));
}

/** Spelt out, "any JSON" is a definition that refers to itself, and editors show it as six choices. */
function withAnyJson(spelt: JsonObject): JsonObject {
  const named = (spelt.definitions ?? {}) as JsonObject;
  const recursive = /"#\/definitions\/(\w+)"/.exec(JSON.stringify(named.json ?? null))?.[1];
  if (recursive === undefined) return spelt;
  const text = JSON.stringify(spelt).replaceAll(`"#/definitions/${recursive}"`, '"#/definitions/json"');
  const { definitions, ...schema } = JSON.parse(text) as JsonObject;
  const { [recursive]: _, ...kept } = definitions as JsonObject;
  return { ...schema, definitions: { ...kept, json: { description: 'Any JSON value.' } } };
}
