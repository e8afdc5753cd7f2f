import type { Finding } from '../../contracts/findings.js';
import { isJsonObject, type Json, type JsonObject } from '../../contracts/json.js';
import type { LintCode } from '../../contracts/lint-codes.js';
import type { Loaded } from '../../definitions/registry.js';
import { findingOf } from '../../planning/finding-of.js';
import { nearestNames } from '../../text/nearest.js';
import { ofEachAbility } from '../linted-project.js';

interface SchemaFault {
  code: LintCode;
  message: string;
  path: PropertyKey[];
  part?: 'key';
  fix?: string | undefined;
}

/** Finds schemas that no value satisfies, and keywords without effect on their type. Source: R-000-29. */
export const checkSchemaContradictions = ofEachAbility(function* (ability) {
  for (const key of ['input_schema', 'output_schema'] as const) {
    const schema = ability.value[key];
    if (!schema) continue;
    if (key === 'input_schema' && schema.type !== undefined && !typesOf(schema)?.includes('object')) {
      const message = `An input is always an object, and this schema wants ${String(schema.type)}`;
      yield findingOf('lint.schema_impossible', message, ability.locate([key, 'type']));
    }
    yield* faultsIn(ability, schema, [key]);
  }
});

function* faultsIn(from: Loaded<unknown>, schema: JsonObject, path: PropertyKey[]): Generator<Finding> {
  for (const { code, message, path: at, part, fix } of [...contradictions(schema), ...idleKeywords(schema)]) {
    yield findingOf(code, message, from.locate([...path, ...at], part), fix);
  }
  for (const { schema: inner, path: at } of partsOf(schema)) yield* faultsIn(from, inner, [...path, ...at]);
}

const MAPS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
]);
/** Leaves out `not` and `if`, where an unsatisfiable schema may be deliberate. */
const NESTED: ReadonlySet<string> = new Set([
  'allOf',
  'anyOf',
  'oneOf',
  'then',
  'else',
  'prefixItems',
  'items',
  'contains',
  'additionalProperties',
]);

function* partsOf(schema: JsonObject): Generator<{ schema: JsonObject; path: PropertyKey[] }> {
  for (const [key, value] of Object.entries(schema)) {
    if (MAPS.has(key) && isJsonObject(value)) {
      for (const [name, inner] of Object.entries(value))
        if (isJsonObject(inner)) yield { schema: inner, path: [key, name] };
    } else if (NESTED.has(key) && isJsonObject(value)) yield { schema: value, path: [key] };
    else if (NESTED.has(key) && Array.isArray(value)) {
      for (const [index, inner] of value.entries())
        if (isJsonObject(inner)) yield { schema: inner, path: [key, index] };
    }
  }
}

const RANGES = [
  ['minimum', 'maximum', false],
  ['exclusiveMinimum', 'maximum', true],
  ['minimum', 'exclusiveMaximum', true],
  ['exclusiveMinimum', 'exclusiveMaximum', true],
  ['minLength', 'maxLength', false],
  ['minItems', 'maxItems', false],
  ['minProperties', 'maxProperties', false],
] as const;

function* contradictions(schema: JsonObject): Generator<SchemaFault> {
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
  for (const [index, name] of namesRequired(schema).entries()) {
    if (!isForbidden(schema, name)) continue;
    yield {
      code,
      message: `\`${name}\` is required and not allowed`,
      path: ['required', index],
      fix: fixOf(schema, name),
    };
  }
}

function namesRequired({ required }: JsonObject): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

function fixOf({ properties }: JsonObject, name: string): string {
  const [near] = nearestNames(
    name,
    isJsonObject(properties) ? Object.keys(properties).filter((own) => own !== name) : [],
  );
  return near === undefined
    ? `Describe it under \`properties\`.`
    : `Use \`${near}\`, or describe it under \`properties\`.`;
}

export function isForbidden(
  { properties, patternProperties, additionalProperties }: JsonObject,
  name: string,
): boolean {
  if (isJsonObject(properties) && Object.hasOwn(properties, name)) return properties[name] === false;
  return additionalProperties === false && patternProperties === undefined;
}

const TYPE_OF: ReadonlyMap<string, string> = new Map([
  ...['minLength', 'maxLength', 'pattern'].map((key): [string, string] => [key, 'string']),
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'].map((key): [string, string] => [
    key,
    'number',
  ]),
  ...['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'contains'].map((key): [string, string] => [
    key,
    'array',
  ]),
  ...['properties', 'patternProperties', 'additionalProperties', 'required', 'minProperties', 'maxProperties'].map(
    (key): [string, string] => [key, 'object'],
  ),
]);

/** Formats that validation knows, and those of OpenAPI for the width of numbers. */
const FORMATS: readonly string[] = [
  ...[
    'date-time',
    'date',
    'time',
    'duration',
    'email',
    'hostname',
    'ipv4',
    'ipv6',
    'uri',
    'uri-reference',
    'uuid',
    'url',
  ],
  ...['uri-template', 'iri', 'iri-reference', 'idn-email', 'idn-hostname', 'json-pointer', 'relative-json-pointer'],
  ...['file', 'regex', 'byte', 'binary', 'password', 'int32', 'int64', 'float', 'double', 'iso-time', 'iso-date-time'],
];

function* idleKeywords(schema: JsonObject): Generator<SchemaFault> {
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
