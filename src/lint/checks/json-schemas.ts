import type { Finding } from '../../contracts/findings.js';
import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import { AbilityError } from '../../contracts/problem.js';
import { NESTED_SCHEMAS, SCHEMA_KEYWORDS, SCHEMA_MAPS } from '../../definitions/json-schema-keywords.js';
import type { Loaded } from '../../definitions/registry.js';
import { findingOf } from '../../planning/finding-of.js';
import { satisfies } from '../../planning/input/schemas.js';
import { nearestNames } from '../../text/nearest.js';
import { ofEachAbility } from '../linted-project.js';
import { isForbidden } from './schema-contradictions.js';

/** Those of {@link NESTED_SCHEMAS} that apply to the same value as the schema around them. */
const SAME_VALUE: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else']);

/** Finds errors in JSON Schemas, which allow any keyword and so accept a mistyped one. Source: R-000-29. */
export const checkJsonSchemas = ofEachAbility(function* (ability) {
  for (const key of ['input_schema', 'output_schema'] as const) {
    const schema = ability.value[key];
    if (schema) yield* keywordFaults(schema, ability, [key]);
  }
});

/** @param around properties that outer schemas describe for the same value. */
function* keywordFaults(
  schema: Json | undefined,
  from: Loaded<unknown>,
  path: PropertyKey[],
  around: readonly string[] = [],
): Generator<Finding> {
  if (!isJsonObject(schema)) return;
  for (const key of Object.keys(schema)) {
    if (SCHEMA_KEYWORDS.has(key) || key.startsWith('x-')) continue;
    const [near] = nearestNames(key, SCHEMA_KEYWORDS);
    const fix = near === undefined ? undefined : `Write \`${near}\`.`;
    const message = `\`${key}\` is no keyword of JSON Schema, so it has no effect`;
    yield findingOf('lint.schema_keyword', message, from.locate([...path, key], 'key'), fix);
  }
  const described = [...around, ...(isJsonObject(schema.properties) ? Object.keys(schema.properties) : [])];
  yield* requiredUnknown(schema, described, from, path);
  for (const { schema: inner, key, at } of innerSchemas(schema)) {
    yield* keywordFaults(inner, from, [...path, ...at], SAME_VALUE.has(key) ? described : []);
  }
}

function* innerSchemas(schema: JsonObject): Generator<{ schema: Json | undefined; key: string; at: PropertyKey[] }> {
  for (const key of SCHEMA_MAPS) {
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

/** Finds required properties without a description: usually a misspelt name. */
function* requiredUnknown(
  schema: JsonObject,
  described: readonly string[],
  from: Loaded<unknown>,
  path: PropertyKey[],
): Generator<Finding> {
  const { required } = schema;
  if (!Array.isArray(required) || described.length === 0) return;
  for (const [index, name] of required.entries()) {
    // Another check reports a forbidden name.
    if (typeof name !== 'string' || described.includes(name) || isForbidden(schema, name)) continue;
    const [near] = nearestNames(name, described);
    const fix = near === undefined ? undefined : `Use \`${near}\`, or describe \`${name}\` under \`properties\`.`;
    const message = `\`${name}\` is required and not among the \`properties\``;
    yield findingOf('lint.schema_required_unknown', message, from.locate([...path, 'required', index]), fix);
  }
}

export const checkSchemaDefaults = ofEachAbility(function* (ability) {
  for (const key of ['input_schema', 'output_schema'] as const) {
    const schema = ability.value[key];
    if (schema) yield* defaultsIn(schema, schema, ability, [key]);
  }
});

/** @param root the schema that references are resolved in. */
function* defaultsIn(
  schema: Json | undefined,
  root: JsonObject,
  from: Loaded<unknown>,
  path: PropertyKey[],
): Generator<Finding> {
  if (!isJsonObject(schema)) return;
  const { default: value } = schema;
  if (value !== undefined && !fits(schema, root, value)) {
    const message = `The default ${shortOf(value)} does not match its own schema`;
    yield findingOf('lint.schema_default', message, from.locate([...path, 'default']));
  }
  for (const { schema: inner, at } of innerSchemas(schema)) yield* defaultsIn(inner, root, from, [...path, ...at]);
}

/** Keywords that constrain nothing. */
const WORDS: ReadonlySet<string> = new Set(['default', 'description', 'title', 'examples', 'example', 'deprecated']);

/** Avoids the validator for a lone `type`. True if it cannot be checked here: planning reports that. */
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
