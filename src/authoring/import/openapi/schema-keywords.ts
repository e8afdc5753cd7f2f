import type { Json } from '../../../contracts/json.js';
import { RESERVED_NAMES } from '../../../contracts/names.js';
import { compilePattern } from '../../../rules/regular-expressions.js';
import { attempt } from '../../../text/attempt.js';
import { cleanText } from './follow-reference.js';

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
export function isPattern(source: string): boolean {
  return attempt(() => {
    compilePattern(source);
    return true;
  }, false);
}

/** Whether a value is a number that a double represents exactly. */
export function isNumber(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
}
