import { RESERVED_NAMES } from '../../contracts/names.js';
import type { Json } from '../../contracts/json.js';
import { compilePattern } from '../../rules/regular-expressions.js';
import { cleanText } from './clean-text.js';

/** What one keyword is over here; undefined: it says nothing that our validator could hold against a value. */
type Clean = (value: unknown) => Json | undefined;

const MOST_DESCRIPTION = 400;

const number: Clean = (value) => (typeof value === 'number' && Number.isFinite(value) ? value : undefined);
const count: Clean = (value) =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
const yes: Clean = (value) => (value === true ? true : undefined);
const text: Clean = (value) => (typeof value === 'string' ? cleanText(value, MOST_DESCRIPTION) || undefined : undefined);

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
 * every call and so set what nobody mentioned; examples; `xml`, `externalDocs`, `x-` extensions, `$id` and its kin.
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

/** Keywords that hold one schema, a list of them, or a map; `inPlace`: they are about the same value as their owner. */
export const SCHEMA_KEYWORDS: Readonly<Record<string, { holds: 'one' | 'list' | 'map'; inPlace?: true }>> = {
  additionalProperties: { holds: 'one' },
  unevaluatedProperties: { holds: 'one' },
  unevaluatedItems: { holds: 'one' },
  propertyNames: { holds: 'one' },
  items: { holds: 'one' },
  contains: { holds: 'one' },
  prefixItems: { holds: 'list' },
  properties: { holds: 'map' },
  patternProperties: { holds: 'map' },
  dependentSchemas: { holds: 'map', inPlace: true },
  not: { holds: 'one', inPlace: true },
  if: { holds: 'one', inPlace: true },
  then: { holds: 'one', inPlace: true },
  else: { holds: 'one', inPlace: true },
  allOf: { holds: 'list', inPlace: true },
  anyOf: { holds: 'list', inPlace: true },
  oneOf: { holds: 'list', inPlace: true },
};

/** Whether a regular expression is one of RE2, as all of ours must be. */
export function isPattern(source: string): boolean {
  try {
    compilePattern(source);
    return true;
  } catch {
    return false;
  }
}
