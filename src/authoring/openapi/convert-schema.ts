import type { Json, JsonObject } from '../../contracts/json.js';
import { cleanText } from './clean-text.js';
import { isPart, listOf, memberOf, type Part, partOf } from './document-parts.js';
import { follow, referenceIn } from './follow-reference.js';
import { NotExpressible } from './not-expressible.js';
import { isNumber, isPattern, SCHEMA_KEYWORDS, VALUE_KEYWORDS } from './schema-keywords.js';

/** Whose the value of a schema is: what is read-only is not sent, what is write-only does not come back. */
export type Direction = 'request' | 'response';

/** What a conversion is told, and asks. */
export interface Conversion {
  document: Part;
  direction: Direction;
  /** The name under which the schema of a reference will stand in `$defs`. `inPlace`: for the same value. */
  refer(reference: string, inPlace: boolean): string;
}

/** Deeper ones are left open: the file of a definition has a limit, and each level costs it two. */
const MOST_LEVELS = 20;

const TYPES: ReadonlySet<string> = new Set(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);

/**
 * A schema of a document, in the dialect of 3.0 or 3.1, as JSON Schema that our validator takes.
 *
 * What cannot be said is dropped, which makes a schema wider and never narrower.
 *
 * @throws NotExpressible for a reference that leads nowhere or out of the document.
 */
export function convertSchema(schema: unknown, conversion: Conversion): JsonObject {
  return convert(schema, conversion, 0, true);
}

function convert(schema: unknown, conversion: Conversion, level: number, inPlace: boolean): JsonObject {
  if (schema === false) return { not: {} };
  if (!isPart(schema) || level > MOST_LEVELS) return {};
  const reference = referenceIn(schema);
  if (reference !== undefined) return convertReference(reference, schema, conversion, inPlace);
  const converted: JsonObject = { ...typeOf(schema), ...valuesOf(schema, conversion), ...boundsOf(schema) };
  for (const { name: keyword, holds, inPlace: same } of SCHEMA_KEYWORDS) {
    const held = memberOf(schema, keyword);
    if (held === undefined) continue;
    const inner = (part: unknown): JsonObject => convert(part, conversion, level + 1, same && inPlace);
    const value =
      holds === 'one' ? oneOf(keyword, held, inner) : holds === 'list' ? manyOf(held, inner) : mapOf(held, inner);
    if (value !== undefined) converted[keyword] = value;
  }
  return nullable(schema, settle(converted, schema, conversion));
}

/** In 3.0 nothing stands beside a reference; `nullable` is written there all the same, and meant. */
function convertReference(reference: string, schema: Part, conversion: Conversion, inPlace: boolean): JsonObject {
  const converted: JsonObject = { $ref: `#/$defs/${conversion.refer(reference, inPlace)}` };
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

function valuesOf(schema: Part, { direction }: Conversion): JsonObject {
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
    const said = `Default over there: ${cleanText(String(standard), 60)}.`;
    converted.description = converted.description ? `${String(converted.description)} ${said}` : said;
  }
  return converted;
}

/** In 3.0 `exclusiveMinimum` is a boolean beside `minimum`, else a number of its own. */
function boundsOf(schema: Part): JsonObject {
  const converted: JsonObject = {};
  for (const [exclusive, bound] of [
    ['exclusiveMinimum', 'minimum'],
    ['exclusiveMaximum', 'maximum'],
  ] as const) {
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

/** What hangs on several keywords at once. */
function settle(converted: JsonObject, schema: Part, { document, direction }: Conversion): JsonObject {
  const hidden = hiddenProperties(schema, document, direction);
  const properties = partOf(converted.properties);
  if (hidden.size > 0) {
    converted.properties = Object.fromEntries(
      Object.entries(properties).filter(([name]) => !hidden.has(name)),
    ) as JsonObject;
  }
  const required = [...new Set(listOf(memberOf(schema, 'required')))].filter(
    (name): name is string => typeof name === 'string' && !hidden.has(name),
  );
  if (required.length > 0) converted.required = required;
  describeRequired(converted, required);
  const dependent = partOf(memberOf(schema, 'dependentRequired'));
  if (Object.values(dependent).some(isTexts)) {
    converted.dependentRequired = Object.fromEntries(
      Object.entries(dependent).filter(([, names]) => isTexts(names)),
    ) as JsonObject;
  }
  if (typeof converted.exclusiveMinimum === 'number' && memberOf(schema, 'exclusiveMinimum') === true)
    delete converted.minimum;
  if (typeof converted.exclusiveMaximum === 'number' && memberOf(schema, 'exclusiveMaximum') === true)
    delete converted.maximum;
  dropBadPatterns(converted);
  // Which branch was meant is told by the discriminator, which is no part of JSON Schema; without it several may fit.
  if (converted.oneOf !== undefined && isPart(memberOf(schema, 'discriminator'))) {
    const { oneOf: branches, ...rest } = converted;
    return rest.anyOf === undefined ? { ...rest, anyOf: branches } : rest;
  }
  return converted;
}

/** A property that is required and not described may be anything; said, so that it does not look like a slip. */
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

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

/** Without one of its patterns, a schema that forbids all other properties would forbid too much. */
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

/** Properties that do not travel in this direction. Source: OpenAPI Specification 3.0.4, `readOnly` and `writeOnly`. */
export function hiddenProperties(schema: Part, document: Part, direction: Direction): Set<string> {
  const mark = direction === 'request' ? 'readOnly' : 'writeOnly';
  const hidden = new Set<string>();
  for (const [name, property] of Object.entries(partOf(memberOf(schema, 'properties')))) {
    if (memberOf(property, mark) === true || memberOf(followOrNothing(document, property), mark) === true)
      hidden.add(name);
  }
  return hidden;
}

/** What a property refers to; that it leads nowhere is found where it is converted. */
function followOrNothing(document: Part, value: unknown): unknown {
  if (referenceIn(value) === undefined) return undefined;
  try {
    return follow(document, value);
  } catch (error) {
    if (error instanceof NotExpressible) return undefined;
    throw error;
  }
}

/** `nullable` is said by the type where there is one; where there is none, by a branch. */
function nullable(schema: Part, converted: JsonObject): JsonObject {
  if (memberOf(schema, 'nullable') !== true || converted.type !== undefined || converted.enum !== undefined)
    return converted;
  const { description, title, ...rest } = converted;
  if (Object.keys(rest).length === 0) return converted;
  return {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description }),
    anyOf: [rest, { type: 'null' }],
  };
}
