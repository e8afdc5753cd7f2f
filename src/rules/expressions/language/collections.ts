import { Dictionary, fail, List, Uint } from './kinds.js';

/** Converts a JSON value: safe integers become ints; lists and maps stay, their members convert on reading. */
export function toCel(value: unknown): unknown {
  return typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : value;
}

export function itemsOf(list: object): readonly unknown[] {
  return list instanceof List ? list.items : (list as unknown[]).map(toCel);
}

export function lengthOf(list: object): number {
  return list instanceof List ? list.items.length : (list as unknown[]).length;
}

/** Undefined before the first and beyond the last. */
export function itemAt(list: object, index: number): unknown {
  return list instanceof List ? list.items[index] : toCel((list as unknown[])[index]);
}

export function keysOf(map: object): readonly unknown[] {
  return map instanceof Dictionary ? [...map.entries.values()].map(([key]) => key) : Object.keys(map);
}

export function sizeOfMap(map: object): number {
  return map instanceof Dictionary ? map.entries.size : Object.keys(map).length;
}

/** Undefined if it is missing; names inherited from `Object` count as missing. */
export function valueAt(map: object, key: unknown): unknown {
  if (map instanceof Dictionary) return map.entries.get(idOfKey(key))?.[1];
  if (typeof key === 'string')
    return Object.hasOwn(map, key) ? toCel((map as Record<string, unknown>)[key]) : undefined;
  idOfKey(key);
  return undefined;
}

/** Identifies a map key; equal numbers are one key. @throws Failure for a value that cannot be a key. */
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
