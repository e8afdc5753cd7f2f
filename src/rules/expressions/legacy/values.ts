import { Optional } from '@marcbachmann/cel-js';
import { Duration, UnsignedInt } from '@marcbachmann/cel-js/evaluator';
import type { Json, JsonObject } from '../../../contracts/json.js';
import { noJson, wholeNumber } from '../json-values.js';

/** Key for the value behind a view. A table of all views would cost ten times as much as the views. */
const BEHIND = Symbol('the value behind');

const handler: ProxyHandler<object> = {
  get(target, key, receiver) {
    if (key === BEHIND) return target;
    const value: unknown = Reflect.get(target, key, receiver);
    return typeof key === 'string' && Object.hasOwn(target, key) && key !== 'length' ? toCel(value as Json) : value;
  },
};

/**
 * Shows a JSON value as CEL sees it: whole numbers are ints, all others doubles.
 *
 * Objects and lists are wrapped, not copied: an expression that reads one field of a large output pays for that field.
 * The value must not be frozen.
 */
export function toCel(value: Json | undefined): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (value === null || typeof value !== 'object') return value;
  return new Proxy(value, handler);
}

/** The value behind a view, or the value itself if it is not one: iterating over its keys is much faster. */
export function unwrapped(value: object): object {
  return behind(value) ?? value;
}

function behind(value: object): JsonObject | Json[] | undefined {
  return (value as { [BEHIND]?: JsonObject | Json[] })[BEHIND];
}

/**
 * Turns a result of CEL back into JSON; an absent optional becomes undefined.
 *
 * @throws AbilityError `expression.failed` for an int beyond 2^53, bytes, types and functions.
 */
export function fromCel(value: unknown): Json | undefined {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return value;
  if (typeof value === 'bigint') return wholeNumber(value);
  if (typeof value === 'number') {
    if (Number.isFinite(value)) return value;
    throw noJson(`${value}`);
  }
  if (typeof value !== 'object') throw noJson(typeof value);
  const original = behind(value);
  if (original !== undefined) return original;
  if (Array.isArray(value)) return value.map((item) => fromCel(item) ?? null);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Map) return fromEntries(value.entries());
  if (value instanceof Optional) return value.hasValue() ? fromCel(value.value()) : undefined;
  if (isPlain(value)) return fromEntries(Object.entries(value));
  if (value instanceof Duration) return String(value);
  if (value instanceof UnsignedInt) return wholeNumber(value.value);
  throw noJson(value.constructor?.name ?? 'object');
}

function fromEntries(entries: Iterable<[unknown, unknown]>): JsonObject {
  const object: JsonObject = {};
  for (const [key, item] of entries) {
    const json = fromCel(item);
    if (json === undefined) continue;
    Object.defineProperty(object, String(key), { value: json, enumerable: true, writable: true, configurable: true });
  }
  return object;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
