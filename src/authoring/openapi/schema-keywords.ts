import type { Json } from '../../contracts/json.js';
import { RESERVED_NAMES } from '../../contracts/names.js';
import { compilePattern } from '../../rules/regular-expressions.js';
import { cleanText } from './document-parts.js';

/** What one keyword is over here; undefined: it says nothing that our validator could hold against a value. */
type Clean = (value: unknown) => Json | undefined;

const MAX_DESCRIPTION = 400;

/** JavaScript cannot represent the bounds of 64-bit integers exactly, and no value that reaches us exceeds them. */
const number: Clean = (value) => (isNumber(value) ? value : undefined);
const count: Clean = (value) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
const yes: Clean = (value) => (value === true ? true : undefined);
const text: Clean = (value) => (typeof value === 'string' ? cleanText(value, MAX_DESCRIPTION) || undefined : undefined);

/** Fractions are left out: 4.35 is no multiple of 0.01 to a computer. */
const multiple: Clean = (value) => (Number.isSafeInteger(value) && Number(value) > 0 ? Number(value) : undefined);

/** Look-around, which RE2 does not have, cannot be checked here; the service does it. */
const pattern: Clean = (value) => (typeof value === 'string' && isPattern(value) ? value : undefined);

/** An unknown format is a note for people; a name that JavaScript's objects have would be taken for a known one. */
const format: Clean = (value) =>
  typeof value === 'string' && /^[a-z][a-z0-9.-]{0,50}$/.test(value) && !RESERVED_NAMES.has(value) ? value : undefined;

/**
 * The keywords that are taken over as they are, each only if its value has the right form.
 *
 * Those that hold schemas are in {@link SCHEMA_KEYWORDS}. All others are dropped: `default`, which would be sent with
 * every call and so set what the caller did not mention; examples; `xml`, `externalDocs`, `x-` extensions, `$id` and its kin.
 * Source: OpenAPI Specification 3.0.4 and 3.1.1, "Schema Object"; JSON Schema 2020-12.
 */
export const VALUE_KEYWORDS: Readonly<Record<string, Clean>> = {
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

/** A keyword that holds one schema, a list of them, or a map. */
export interface SchemaKeyword {
  name: string;
  holds: 'one' | 'list' | 'map';
  /** Whether they are about the same value as their owner. */
  inPlace: boolean;
}

/** The keywords that hold schemas. */
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

/** Whether a regular expression is one of RE2, as all of ours must be. */
export function isPattern(source: string): boolean {
  try {
    compilePattern(source);
    return true;
  } catch {
    return false;
  }
}

/** Whether a value is a number that is kept exactly. */
export function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
}
