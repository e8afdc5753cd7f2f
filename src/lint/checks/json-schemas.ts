import type { Finding } from '../../contracts/findings.js';
import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import { innerSchemas, requiredIn, SCHEMA_KEYWORDS } from '../../definitions/json-schema-keywords.js';
import { locationOf, type Spot, within } from '../../definitions/spot.js';
import { findingOf } from '../../planning/finding-of.js';
import { satisfies } from '../../planning/input/schemas.js';
import { unlessRefused } from '../../text/attempt.js';
import { nearestNames } from '../../text/nearest.js';
import { shorten } from '../../text/shorten.js';
import { ofEachSchema } from '../linted-project.js';
import type { PlacedDiagnostic } from './expressions.js';

/** Keywords whose schemas apply to the same value as the schema around them. */
const SAME_VALUE: ReadonlySet<string> = new Set(['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else']);

/** Finds errors in JSON Schemas, which allow any keyword and so accept a mistyped one. Source: R-000-29. */
export const checkJsonSchemas = ofEachSchema((schema, spot) => keywordFaults(schema, spot));

/** @param around properties that outer schemas describe for the same value. */
function* keywordFaults(schema: Json | undefined, spot: Spot, around: readonly string[] = []): Generator<Finding> {
  if (!isJsonObject(schema)) return;
  for (const key of Object.keys(schema)) {
    if (SCHEMA_KEYWORDS.has(key) || key.startsWith('x-')) continue;
    const [near] = nearestNames(key, SCHEMA_KEYWORDS);
    const fix = near === undefined ? undefined : `Write \`${near}\`.`;
    const message = `\`${key}\` is no keyword of JSON Schema, so it has no effect`;
    yield findingOf('lint.schema_keyword', message, locationOf(within(spot, key), 'key'), fix);
  }
  const described = [...around, ...(isJsonObject(schema.properties) ? Object.keys(schema.properties) : [])];
  yield* requiredUnknown(schema, described, spot);
  for (const { schema: inner, key, at } of innerSchemas(schema)) {
    yield* keywordFaults(inner, within(spot, ...at), SAME_VALUE.has(key) ? described : []);
  }
}

/** Finds required properties without a description: usually a misspelt name. */
function* requiredUnknown(schema: JsonObject, described: readonly string[], spot: Spot): Generator<Finding> {
  if (described.length === 0) return;
  for (const [index, name] of requiredIn(schema).entries()) {
    // Another check reports a forbidden name.
    if (described.includes(name) || isForbidden(schema, name)) continue;
    const [near] = nearestNames(name, described);
    const fix = near === undefined ? undefined : `Use \`${near}\`, or describe \`${name}\` under \`properties\`.`;
    const message = `\`${name}\` is required and not among the \`properties\``;
    yield findingOf('lint.schema_required_unknown', message, locationOf(within(spot, 'required', index)), fix);
  }
}

export const checkSchemaDefaults = ofEachSchema((schema, spot) => defaultsIn(schema, schema, spot));

/** @param root the schema that references are resolved in. */
function* defaultsIn(schema: Json | undefined, root: JsonObject, spot: Spot): Generator<Finding> {
  if (!isJsonObject(schema)) return;
  const { default: value } = schema;
  if (value !== undefined && !fits(schema, root, value)) {
    const message = `The default \`${shorten(JSON.stringify(value))}\` does not match its own schema`;
    yield findingOf('lint.schema_default', message, locationOf(within(spot, 'default')));
  }
  for (const { schema: inner, at } of innerSchemas(schema)) yield* defaultsIn(inner, root, within(spot, ...at));
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
  const whole = { ...($defs && { $defs }), ...(definitions && { definitions }), ...schema };
  return unlessRefused(
    () => satisfies(whole, value),
    () => true,
  );
}

/** Finds schemas that no value satisfies, and keywords without effect on their type. Source: R-000-29. */
export const checkSchemaContradictions = ofEachSchema(function* (schema, spot) {
  if (spot.path[0] === 'input_schema' && schema.type !== undefined && !typesOf(schema)?.includes('object')) {
    const message = `An input is always an object, and this schema wants ${String(schema.type)}`;
    yield findingOf('lint.schema_impossible', message, locationOf(within(spot, 'type')));
  }
  yield* faultsIn(schema, spot);
});

function* faultsIn(schema: JsonObject, spot: Spot): Generator<Finding> {
  for (const { code, message, path: at, part, fix } of [...contradictions(schema), ...idleKeywords(schema)]) {
    yield findingOf(code, message, locationOf(within(spot, ...at), part), fix);
  }
  for (const { schema: inner, key, at } of innerSchemas(schema)) {
    if (isJsonObject(inner) && !LEFT_OUT.has(key)) yield* faultsIn(inner, within(spot, ...at));
  }
}

/** There an unsatisfiable schema may be deliberate, or only some values reach it. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  ...['not', 'if', 'propertyNames', 'unevaluatedItems', 'unevaluatedProperties'],
]);

const RANGES = [
  ['minimum', 'maximum', false],
  ['exclusiveMinimum', 'maximum', true],
  ['minimum', 'exclusiveMaximum', true],
  ['exclusiveMinimum', 'exclusiveMaximum', true],
  ['minLength', 'maxLength', false],
  ['minItems', 'maxItems', false],
  ['minProperties', 'maxProperties', false],
] as const;

function* contradictions(schema: JsonObject): Generator<PlacedDiagnostic> {
  const code = 'lint.schema_impossible';
  for (const [low, high, isOpen] of RANGES) {
    const [least, greatest] = [schema[low], schema[high]];
    if (typeof least !== 'number' || typeof greatest !== 'number') continue;
    if (least < greatest || (least === greatest && !isOpen)) continue;
    yield { code, message: `No value has ${low} ${least} and ${high} ${greatest}`, path: [high] };
  }
  const types = typesOf(schema);
  const fits = (value: Json): boolean => types === undefined || types.some((type) => isOfType(value, type));
  const choices = schema.enum;
  if (Array.isArray(choices) && !choices.some(fits)) {
    const what =
      choices.length === 0 ? 'The list of values is empty' : `No value of \`enum\` is of type ${types?.join(' or ')}`;
    yield { code, message: what, path: ['enum'] };
  }
  if (schema.const !== undefined && !fits(schema.const)) {
    yield { code, message: `The value of \`const\` is not of type ${types?.join(' or ')}`, path: ['const'] };
  }
  const { not } = schema;
  if (not === true || (isJsonObject(not) && Object.keys(not).length === 0)) {
    yield { code, message: '`not` with nothing in it refuses everything', path: ['not'] };
  }
  for (const [index, name] of requiredIn(schema).entries()) {
    if (!isForbidden(schema, name)) continue;
    yield {
      code,
      message: `\`${name}\` is required and not allowed`,
      path: ['required', index],
      fix: fixOf(schema, name),
    };
  }
}

function fixOf({ properties }: JsonObject, name: string): string {
  const others = isJsonObject(properties) ? Object.keys(properties).filter((own) => own !== name) : [];
  const [near] = nearestNames(name, others);
  return near === undefined
    ? `Describe it under \`properties\`.`
    : `Use \`${near}\`, or describe it under \`properties\`.`;
}

function isForbidden({ properties, patternProperties, additionalProperties }: JsonObject, name: string): boolean {
  if (isJsonObject(properties) && Object.hasOwn(properties, name)) return properties[name] === false;
  return additionalProperties === false && patternProperties === undefined;
}

/** The type that a keyword is about. */
const TYPE_OF: ReadonlyMap<string, string> = new Map(
  Object.entries({
    string: ['minLength', 'maxLength', 'pattern'],
    number: ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
    array: ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'contains'],
    object: ['properties', 'patternProperties', 'additionalProperties', 'required', 'minProperties', 'maxProperties'],
  }).flatMap(([type, keywords]) => keywords.map((keyword) => [keyword, type] as const)),
);

/** Formats that validation knows, and those of OpenAPI for the width of numbers. */
const FORMATS: readonly string[] = [
  ...['date-time', 'date', 'time', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uri', 'uri-reference', 'uuid'],
  ...['url'],
  ...['uri-template', 'iri', 'iri-reference', 'idn-email', 'idn-hostname', 'json-pointer', 'relative-json-pointer'],
  ...['file', 'regex', 'byte', 'binary', 'password', 'int32', 'int64', 'float', 'double', 'iso-time', 'iso-date-time'],
];

function* idleKeywords(schema: JsonObject): Generator<PlacedDiagnostic> {
  const code = 'lint.schema_keyword_idle';
  const types = typesOf(schema)?.map((type) => (type === 'integer' ? 'number' : type));
  for (const keyword of types ? Object.keys(schema) : []) {
    const type = TYPE_OF.get(keyword);
    if (type === undefined || types?.includes(type)) continue;
    const message = `\`${keyword}\` is for type ${type}, and has no effect on ${String(schema.type)}`;
    yield { code, message, path: [keyword], part: 'key' };
  }
  const { format } = schema;
  if (typeof format !== 'string' || FORMATS.includes(format)) return;
  const [near] = nearestNames(format, FORMATS);
  if (near === undefined) return;
  yield { code, message: `Nothing checks the format \`${format}\`; there is \`${near}\``, path: ['format'] };
}

function typesOf({ type, nullable }: JsonObject): string[] | undefined {
  if (type === undefined) return undefined;
  const types = Array.isArray(type) ? type.map(String) : [String(type)];
  return nullable === true ? [...types, 'null'] : types;
}

function isOfType(value: Json, type: string): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isJsonObject(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}
