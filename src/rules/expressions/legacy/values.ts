import { Optional } from '@marcbachmann/cel-js';
import { Duration, UnsignedInt } from '@marcbachmann/cel-js/evaluator';
import type { Json, JsonObject } from '../../../contracts/json.js';
import { noJson, wholeNumber } from '../json-values.js';

/** Key of the value behind a view. A WeakMap of all views would cost ten times as much as the views. */
const BEHIND = Symbol('the value behind');

const handler: ProxyHandler<object> = {
  get(target, key, receiver) {
    if (key === BEHIND) return target;
    const value: unknown = Reflect.get(target, key, receiver);
    return typeof key === 'string' && Object.hasOwn(target, key) && key !== 'length' ? toCel(value as Json) : value;
  },
};

/**
 * Whole numbers become ints. Objects and lists, which must not be frozen, are wrapped, not copied, so that reading
 * one field of a large output is cheap.
 */
export function toCel(value: Json | undefined): unknown {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? BigInt(value) : value;
  if (value === null || typeof value !== 'object') return value;
  return new Proxy(value, handler);
}

/** The value behind a view, or the value itself: iterating over the keys of a view is much slower. */
export function unwrapped(value: object): object {
  return behind(value) ?? value;
}

function behind(value: object): JsonObject | Json[] | undefined {
  return (value as { [BEHIND]?: JsonObject | Json[] })[BEHIND];
}

/**
 * Undefined for an absent optional.
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
