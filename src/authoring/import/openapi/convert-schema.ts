import type { Json, JsonObject } from '../../../contracts/json.js';
import { RESERVED_NAMES } from '../../../contracts/names.js';
import { compilePattern } from '../../../rules/regular-expressions.js';
import { attempt } from '../../../text/attempt.js';
import { defined } from '../../../text/defined.js';
import { cleanText, isPart, listOf, memberOf, type Part, partOf, referenceIn } from './follow-reference.js';
import type { HiddenNames } from './hidden-names.js';

export interface Conversion {
  document: Part;
  hidden: HiddenNames;
  /**
   * Name of a reference's schema in `$defs`. @param inPlace whether it describes the same value as the referring
   * schema. @param without properties that it must not require there, though it does elsewhere.
   */
  refer(reference: string, inPlace: boolean, without: readonly string[]): string;
}

const NONE: ReadonlySet<string> = new Set();

/** Maximum depth; deeper schemas are left open, since files of definitions have a limit. */
const MAX_LEVELS = 20;

const TYPES: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);

/**
 * JSON Schema from the dialect of 3.0 or 3.1. Inexpressible parts are dropped, which only widens a schema. @throws
 * NotExpressible for a reference that leads nowhere or out of the document.
 */
export function convertSchema(
  schema: unknown,
  conversion: Conversion,
  without: ReadonlySet<string> = NONE,
): JsonObject {
  return convert(schema, conversion, { level: 0, inPlace: true, without });
}

/** Where a schema is: its depth, whether it describes the root value, and names hidden around it. */
interface Place {
  level: number;
  inPlace: boolean;
  without: ReadonlySet<string>;
}

function convert(schema: unknown, conversion: Conversion, place: Place): JsonObject {
  const { level, inPlace, without } = place;
  if (schema === false) return { not: {} };
  if (!isPart(schema) || level > MAX_LEVELS) return {};
  const reference = referenceIn(schema);
  if (reference !== undefined) return convertReference(reference, schema, conversion, place);
  const { hidden } = conversion;
  const converted: JsonObject = { ...typeOf(schema), ...valuesOf(schema, conversion), ...boundsOf(schema) };
  for (const { name: keyword, holds, inPlace: same } of SCHEMA_KEYWORDS) {
    const held = memberOf(schema, keyword);
    if (held === undefined) continue;
    if (SAYS_NO.has(keyword) && hidden.isTouched(held, new Set([...without, ...hidden.around(schema)]))) continue;
    const around = !same ? NONE : union(without, beside(keyword, schema, hidden));
    const inner = (part: unknown): JsonObject =>
      convert(part, conversion, { level: level + 1, inPlace: same && inPlace, without: around });
    const value =
      holds === 'one' ? oneOf(keyword, held, inner) : holds === 'list' ? manyOf(held, inner) : mapOf(held, inner);
    if (value !== undefined) converted[keyword] = value;
  }
  // Without `if`, neither `then` nor `else` is known to apply.
  if (memberOf(schema, 'if') !== undefined && converted.if === undefined) {
    delete converted.then;
    delete converted.else;
  }
  return nullable(schema, settle(converted, schema, conversion, without));
}

/** Keywords that reject more values when their schema accepts more. */
const SAYS_NO: ReadonlySet<string> = new Set(['not', 'if']);

/** Names that sibling schemas hide; for alternatives, only names hidden outside of them. */
function beside(keyword: string, schema: Part, hidden: HiddenNames): ReadonlySet<string> {
  return keyword === 'oneOf' || keyword === 'anyOf' ? hidden.besides(schema, keyword) : hidden.around(schema);
}

function union(one: ReadonlySet<string>, other: ReadonlySet<string>): ReadonlySet<string> {
  if (one.size === 0) return other;
  return other.size === 0 ? one : new Set([...one, ...other]);
}

/** OpenAPI 3.0 ignores siblings of a reference, but documents write `nullable` there and mean it. */
function convertReference(reference: string, schema: Part, conversion: Conversion, place: Place): JsonObject {
  const { hidden, refer } = conversion;
  const without = hidden.requiredAmong(schema, place.without);
  const converted: JsonObject = { $ref: `#/$defs/${refer(reference, place.inPlace, without)}` };
  const description = VALUE_KEYWORDS.description?.(memberOf(schema, 'description'));
  if (memberOf(schema, 'nullable') === true) return { anyOf: [converted, { type: 'null' }] };
  return description === undefined ? converted : { ...converted, description };
}

function typeOf(schema: Part): JsonObject {
  const types = [memberOf(schema, 'type')].flat().filter((type): type is string => TYPES.has(String(type)));
  if (types.length === 0) return {};
  const unique = [...new Set([...types, ...(memberOf(schema, 'nullable') === true ? ['null'] : [])])];
  const [only = ''] = unique;
  return { type: unique.length === 1 ? only : unique };
}

function valuesOf(schema: Part, { hidden: { direction } }: Conversion): JsonObject {
  const converted: JsonObject = {};
  for (const [keyword, clean] of Object.entries(VALUE_KEYWORDS)) {
    const value = clean(memberOf(schema, keyword));
    if (value !== undefined) converted[keyword] = value;
  }
  const values = memberOf(schema, 'enum');
  if (Array.isArray(values) && values.length > 0) {
    const withNull = memberOf(schema, 'nullable') === true && !values.includes(null);
    converted.enum = structuredClone([...values, ...(withNull ? [null] : [])]) as Json[];
  }
  if (Object.hasOwn(schema, 'const')) converted.const = structuredClone(memberOf(schema, 'const')) as Json;
  const standard = memberOf(schema, 'default');
  if (direction === 'request' && standard !== undefined && standard !== null && typeof standard !== 'object') {
    const said = `Default of the service: ${cleanText(String(standard), 60)}.`;
    converted.description = converted.description ? `${String(converted.description)} ${said}` : said;
  }
  return converted;
}

const BOUNDS = [
  ['exclusiveMinimum', 'minimum'],
  ['exclusiveMaximum', 'maximum'],
] as const;

/** In 3.0 `exclusiveMinimum` is a boolean beside `minimum`, else a number of its own. */
function boundsOf(schema: Part): JsonObject {
  const converted: JsonObject = {};
  for (const [exclusive, bound] of BOUNDS) {
    const said = memberOf(schema, exclusive);
    const value = said === true ? memberOf(schema, bound) : said;
    if (isNumber(value)) converted[exclusive] = value;
  }
  return converted;
}

function oneOf(keyword: string, held: unknown, inner: (part: unknown) => JsonObject): Json | undefined {
  if (Array.isArray(held)) return undefined;
  if (typeof held === 'boolean') return keyword === 'not' ? undefined : held;
  return isPart(held) ? inner(held) : undefined;
}

function manyOf(held: unknown, inner: (part: unknown) => JsonObject): Json[] | undefined {
  const parts = listOf(held);
  return parts.length > 0 ? parts.map(inner) : undefined;
}

function mapOf(held: unknown, inner: (part: unknown) => JsonObject): JsonObject | undefined {
  if (!isPart(held)) return undefined;
  return Object.fromEntries(Object.entries(held).map(([name, part]) => [name, inner(part)]));
}

function settle(converted: JsonObject, schema: Part, { hidden }: Conversion, without: ReadonlySet<string>): JsonObject {
  const around = union(without, hidden.around(schema));
  hideProperties(converted, schema, hidden);
  const required = [...new Set(listOf(memberOf(schema, 'required')))].filter(
    (name): name is string => typeof name === 'string' && !around.has(name),
  );
  if (required.length > 0) converted.required = required;
  describeRequired(converted, required);
  const dependent = Object.entries(partOf(memberOf(schema, 'dependentRequired'))).flatMap(([name, wanted]) =>
    isTexts(wanted) ? [[name, wanted.filter((one) => !around.has(one))]] : [],
  );
  if (dependent.length > 0) converted.dependentRequired = Object.fromEntries(dependent) as JsonObject;
  dropCounts(converted, schema, hidden, around);
  for (const [exclusive, bound] of BOUNDS) {
    if (converted[exclusive] !== undefined && memberOf(schema, exclusive) === true) delete converted[bound];
  }
  dropBadPatterns(converted);
  // Several branches may match without a discriminator, or where branches were widened.
  const branches = listOf(memberOf(schema, 'oneOf'));
  const isLoose = isPart(memberOf(schema, 'discriminator')) || branches.some((one) => hidden.isTouched(one, around));
  if (converted.oneOf !== undefined && isLoose) {
    const { oneOf: anyOf, ...rest } = converted;
    return rest.anyOf === undefined ? { ...rest, anyOf } : rest;
  }
  return converted;
}

/** Declares required properties that have no schema, so that they do not look like mistakes. */
function describeRequired(converted: JsonObject, required: readonly string[]): void {
  const { properties, allOf, anyOf, oneOf } = converted;
  if (properties === undefined || allOf !== undefined || anyOf !== undefined || oneOf !== undefined) return;
  const unknown = required.filter((name) => !Object.hasOwn(partOf(properties), name));
  if (unknown.length === 0) return;
  converted.properties = {
    ...partOf(properties),
    ...Object.fromEntries(unknown.map((name) => [name, {}])),
  } as JsonObject;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** Drops unsupported patterns, and a ban on other properties, which would then forbid too much. */
function dropBadPatterns(converted: JsonObject): void {
  const patterns = partOf(converted.patternProperties);
  const bad = Object.keys(patterns).filter((pattern) => !isPattern(pattern));
  if (bad.length === 0) return;
  converted.patternProperties = Object.fromEntries(
    Object.entries(patterns).filter(([pattern]) => !bad.includes(pattern)),
  ) as JsonObject;
  delete converted.additionalProperties;
  delete converted.unevaluatedProperties;
}

/** Removes hidden properties; where an answer forbids others, they accept anything: services may send them. */
function hideProperties(converted: JsonObject, schema: Part, hidden: HiddenNames): void {
  const names = hidden.own(schema);
  if (names.size === 0) return;
  const additional = memberOf(schema, 'additionalProperties');
  const isForbidden = hidden.forbidsFromAfar || (additional !== undefined && additional !== true);
  const entries = Object.entries(partOf(converted.properties)).flatMap(([name, property]) => {
    if (!names.has(name)) return [[name, property]];
    return hidden.direction === 'response' && isForbidden ? [[name, {}]] : [];
  });
  converted.properties = Object.fromEntries(entries) as JsonObject;
}

/** Drops bounds that an answer may break only because hidden properties are missing. */
function dropCounts(converted: JsonObject, schema: Part, hidden: HiddenNames, around: ReadonlySet<string>): void {
  if (hidden.direction !== 'response') return;
  if (around.size > 0) delete converted.minProperties;
  if (hidden.isTouched(memberOf(schema, 'contains'), NONE)) delete converted.maxContains;
  if (hidden.isTouched(memberOf(schema, 'items'), NONE)) delete converted.uniqueItems;
}

/** Adds a null branch for `nullable` if no type can express it. */
function nullable(schema: Part, converted: JsonObject): JsonObject {
  if (memberOf(schema, 'nullable') !== true || converted.type !== undefined || converted.enum !== undefined)
    return converted;
  const { description, title, ...rest } = converted;
  if (Object.keys(rest).length === 0) return converted;
  return { ...defined({ title, description }), anyOf: [rest, { type: 'null' }] };
}

/** Converts the value of a keyword; undefined: our validator cannot use it. */
type Clean = (value: unknown) => Json | undefined;

const MAX_DESCRIPTION = 400;

/** Drops bounds of 64-bit integers, which JavaScript cannot represent and no value exceeds here. */
const number: Clean = (value) => (isNumber(value) ? value : undefined);
const count: Clean = (value) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
const yes: Clean = (value) => (value === true ? true : undefined);
const text: Clean = (value) => (typeof value === 'string' ? cleanText(value, MAX_DESCRIPTION) || undefined : undefined);

/** Drops fractions: in floating point, 4.35 is no multiple of 0.01. */
const multiple: Clean = (value) => (Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : undefined);

/** Drops look-around, which RE2 does not support; the service checks it itself. */
const pattern: Clean = (value) => (typeof value === 'string' && isPattern(value) ? value : undefined);

/** Unknown formats are kept as notes; names of object members would be mistaken for known formats. */
const format: Clean = (value) =>
  typeof value === 'string' && /^[a-z][a-z0-9.-]{0,50}$/.test(value) && !RESERVED_NAMES.has(value) ? value : undefined;

/**
 * Keywords copied if their value has the right form; {@link SCHEMA_KEYWORDS} has those that hold schemas.
 * All others are dropped, such as `default`, which would be sent although the caller did not set it.
 * Source: OpenAPI Specification 3.0.4 and 3.1.1, "Schema Object"; JSON Schema 2020-12.
 */
const VALUE_KEYWORDS: Readonly<Record<string, Clean>> = {
  title: text,
  description: text,
  format,
  pattern,
  multipleOf: multiple,
  maximum: number,
  minimum: number,
  maxLength: count,
  minLength: count,
  maxItems: count,
  minItems: count,
  uniqueItems: yes,
  maxProperties: count,
  minProperties: count,
  minContains: count,
  maxContains: count,
  contentEncoding: text,
  contentMediaType: text,
  deprecated: yes,
};

export interface SchemaKeyword {
  name: string;
  holds: 'one' | 'list' | 'map';
  /** Whether the schemas describe the same value as their owner. */
  inPlace: boolean;
}

export const SCHEMA_KEYWORDS: readonly SchemaKeyword[] = [
  ...['additionalProperties', 'unevaluatedProperties', 'unevaluatedItems', 'propertyNames', 'items', 'contains'].map(
    (name): SchemaKeyword => ({ name, holds: 'one', inPlace: false }),
  ),
  { name: 'prefixItems', holds: 'list', inPlace: false },
  { name: 'properties', holds: 'map', inPlace: false },
  { name: 'patternProperties', holds: 'map', inPlace: false },
  { name: 'dependentSchemas', holds: 'map', inPlace: true },
  ...['not', 'if', 'then', 'else'].map((name): SchemaKeyword => ({ name, holds: 'one', inPlace: true })),
  ...['allOf', 'anyOf', 'oneOf'].map((name): SchemaKeyword => ({ name, holds: 'list', inPlace: true })),
];

/** Whether RE2 supports a regular expression: patterns of definitions are RE2. */
function isPattern(source: string): boolean {
  return attempt(() => {
    compilePattern(source);
    return true;
  }, false);
}

/** Whether a value is a number that a double represents exactly. */
export function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
}
