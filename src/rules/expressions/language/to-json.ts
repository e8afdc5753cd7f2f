import type { Json, JsonObject } from '../../../contracts/json.js';
import { AbilityError } from '../../../contracts/problem.js';
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

/** An integer as a JSON number. @throws AbilityError `expression.failed` beyond 2^53. */
export function wholeNumber(value: bigint): number {
  const number = Number(value);
  if (Number.isSafeInteger(number)) return number;
  throw new AbilityError({
    code: 'expression.failed',
    message: `The number ${value} is too large for JSON`,
    suggestion: 'Keep it as text: string(...).',
  });
}

export function noJson(what: string): AbilityError {
  return new AbilityError({
    code: 'expression.failed',
    message: `The expression gives ${what}, which is no JSON value`,
    suggestion: 'Make a string, number, boolean, list or map of it.',
  });
}
