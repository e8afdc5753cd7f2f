import type { Finding } from '../../contracts/findings.js';
import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import { AbilityError } from '../../contracts/problem.js';
import { NESTED_SCHEMAS, SCHEMA_MAPS } from '../../definitions/json-schema-keywords.js';
import type { Loaded } from '../../definitions/registry.js';
import { findingOf } from '../../planning/finding-of.js';
import { satisfies } from '../../planning/input/schemas.js';
import { ofEachAbility } from '../remembered.js';

/** Finds defaults that their own schema refuses. */
export const checkSchemaDefaults = ofEachAbility(function* (ability) {
  for (const key of ['input_schema', 'output_schema'] as const) {
    const schema = ability.value[key];
    if (schema) yield* defaultsIn(schema, schema, ability, [key]);
  }
});

/** @param root where the references of the schema lead. */
function* defaultsIn(
  schema: Json | undefined,
  root: JsonObject,
  from: Loaded<unknown>,
  path: PropertyKey[],
): Generator<Finding> {
  if (!isJsonObject(schema)) return;
  const { default: value } = schema;
  if (value !== undefined && !fits(schema, root, value)) {
    const message = `The default ${shortOf(value)} is not as its own schema says`;
    yield findingOf('lint.schema_default', message, from.locate([...path, 'default']));
  }
  for (const key of SCHEMA_MAPS) {
    const map = schema[key];
    if (!isJsonObject(map)) continue;
    for (const [name, inner] of Object.entries(map)) yield* defaultsIn(inner, root, from, [...path, key, name]);
  }
  for (const key of NESTED_SCHEMAS) {
    const inner = schema[key];
    if (!Array.isArray(inner)) yield* defaultsIn(inner, root, from, [...path, key]);
    else for (const [index, item] of inner.entries()) yield* defaultsIn(item, root, from, [...path, key, index]);
  }
}

/** Says nothing of a value. */
const WORDS: ReadonlySet<string> = new Set(['default', 'description', 'title', 'examples', 'example', 'deprecated']);

/** Of a type alone it is plain; all else is for the validator. What cannot be checked here passes: planning reports it. */
function fits({ default: _, ...schema }: JsonObject, root: JsonObject, value: Json): boolean {
  const keywords = Object.keys(schema).filter((key) => !WORDS.has(key) && !key.startsWith('x-'));
  if (keywords.length === 0) return true;
  const { type } = schema;
  if (keywords.length === 1 && (type === 'string' || type === 'boolean')) return typeof value === type;
  const { $defs, definitions } = root;
  try {
    return satisfies({ ...($defs && { $defs }), ...(definitions && { definitions }), ...schema }, value);
  } catch (error) {
    if (error instanceof AbilityError) return true;
    throw error;
  }
}

function shortOf(value: Json): string {
  const text = JSON.stringify(value);
  return `\`${text.length > 60 ? `${text.slice(0, 57)}...` : text}\``;
}
