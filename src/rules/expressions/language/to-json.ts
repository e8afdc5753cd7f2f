import type { Json, JsonObject } from '../../../contracts/json.js';
import { noJson, wholeNumber } from '../json-values.js';
import { Dictionary, kindOf, List, type Maybe, type Moment, type Span, type Uint } from './kinds.js';
import { writeMoment, writeSpan } from './moments.js';

const MILLISECONDS = 3;

/**
 * Undefined for an absent optional.
 * @throws AbilityError `expression.failed` for an int beyond 2^53, bytes, types, NaN and infinities.
 */
export function toJson(value: unknown): Json | undefined {
  const kind = kindOf(value);
  switch (kind) {
    case 'null':
    case 'bool':
    case 'string':
      return value as Json;
    case 'int':
      return wholeNumber(value as bigint);
    case 'uint':
      return wholeNumber((value as Uint).value);
    case 'double':
      if (Number.isFinite(value)) return value as number;
      throw noJson(String(value));
    case 'list':
      return value instanceof List ? value.items.map((item) => toJson(item) ?? null) : (value as Json);
    case 'map':
      return value instanceof Dictionary ? objectOf(value) : (value as Json);
    case 'timestamp':
      return writeMoment(value as Moment, MILLISECONDS);
    case 'duration':
      return writeSpan(value as Span);
    case 'optional': {
      const { value: inner } = value as Maybe;
      return inner === undefined ? undefined : toJson(inner);
    }
    default:
      throw noJson(kind === 'type' ? 'a type' : 'bytes');
  }
}

function objectOf({ entries }: Dictionary): JsonObject {
  const object: JsonObject = {};
  for (const [key, item] of entries.values()) {
    const value = toJson(item);
    if (value === undefined) continue;
    const name = kindOf(key) === 'uint' ? String((key as Uint).value) : String(key);
    Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
  }
  return object;
}
