import { fail } from './failure.js';
import { Dictionary, List, Uint } from './kinds.js';

/** A value of JSON as CEL sees it: whole numbers are ints, all others doubles. Lists and maps stay as they are. */
export function toCel(value: unknown): unknown {
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value;
}

/** The items of a list, of either kind. */
export function itemsOf(list: object): readonly unknown[] {
  return list instanceof List ? list.items : (list as unknown[]).map(toCel);
}

/** Number of items in a list. */
export function lengthOf(list: object): number {
  return list instanceof List ? list.items.length : (list as unknown[]).length;
}

/** The item at a place of a list; undefined where it has none. */
export function itemAt(list: object, index: number): unknown {
  return list instanceof List ? list.items[index] : toCel((list as unknown[])[index]);
}

/** The keys of a map, in its order. */
export function keysOf(map: object): readonly unknown[] {
  return map instanceof Dictionary ? [...map.entries.values()].map(([key]) => key) : Object.keys(map);
}

/** Number of keys in a map. */
export function sizeOfMap(map: object): number {
  return map instanceof Dictionary ? map.entries.size : Object.keys(map).length;
}

/** The value of a map's key; undefined if missing. Inherited names of objects do not count. */
export function valueAt(map: object, key: unknown): unknown {
  if (map instanceof Dictionary) return map.entries.get(idOfKey(key))?.[1];
  if (typeof key === 'string')
    return Object.hasOwn(map, key) ? toCel((map as Record<string, unknown>)[key]) : undefined;
  idOfKey(key);
  return undefined;
}

/**
 * A text for a key of a map: equal numbers are one key.
 *
 * @throws Failure for a value that cannot be a key.
 */
export function idOfKey(key: unknown): string {
  switch (typeof key) {
    case 'string':
      return `s${key}`;
    case 'boolean':
    case 'bigint':
      return `${key}`;
    case 'number':
      return Number.isInteger(key) ? `${BigInt(key)}` : `${key}`;
    default:
      return key instanceof Uint ? `${key.value}` : fail('a key of a map is a text, a whole number, or true or false');
  }
}
