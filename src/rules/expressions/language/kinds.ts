import type { Node } from '../syntax/node.js';

/** An evaluation failure; no Error, since `all`, `exists`, `&&` and `||` go on and stack traces are slow. */
export class Failure {
  constructor(
    readonly summary: string,
    /** The node that reads a missing value. */
    readonly missing?: Node,
  ) {}
}

/** @throws Failure always. */
export function fail(summary: string): never {
  throw new Failure(summary);
}

export type Kind =
  | ('null' | 'bool' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'list' | 'map' | 'type')
  | ('timestamp' | 'duration' | 'optional');

export const TYPE_NAMES: Record<Kind, string> = {
  ...{ null: 'null_type', bool: 'bool', int: 'int', uint: 'uint', double: 'double', string: 'string', bytes: 'bytes' },
  ...{ list: 'list', map: 'map', type: 'type', optional: 'optional_type' },
  ...{ timestamp: 'google.protobuf.Timestamp', duration: 'google.protobuf.Duration' },
};

/** An unsigned 64-bit integer. */
export class Uint {
  constructor(readonly value: bigint) {}
}

/** A point in time, in nanoseconds since 1970. */
export class Moment {
  constructor(readonly nanos: bigint) {}
}

/** A duration in nanoseconds; may be negative. */
export class Span {
  constructor(readonly nanos: bigint) {}
}

export class TypeName {
  constructor(readonly name: string) {}
}

export class Maybe {
  static readonly none: Maybe = new Maybe(undefined);

  constructor(readonly value: unknown) {}
}

/** A list created by an expression. Its items are CEL values, unlike those of a JSON list. */
export class List {
  constructor(readonly items: readonly unknown[]) {}
}

/** A map created by an expression, by the text of `idOfKey`: keys of several kinds may be equal. */
export class Dictionary {
  constructor(readonly entries: ReadonlyMap<string, readonly [key: unknown, value: unknown]>) {}
}

export function kindOf(value: unknown): Kind {
  switch (typeof value) {
    case 'string':
      return 'string';
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'number':
      return 'double';
    default:
      return kindOfObject(value as object | null);
  }
}

function kindOfObject(value: object | null): Kind {
  if (value === null) return 'null';
  if (Array.isArray(value) || value instanceof List) return 'list';
  if (value instanceof Dictionary) return 'map';
  if (value instanceof Moment) return 'timestamp';
  if (value instanceof Span) return 'duration';
  if (value instanceof Maybe) return 'optional';
  if (value instanceof TypeName) return 'type';
  if (value instanceof Uint) return 'uint';
  return ArrayBuffer.isView(value) ? 'bytes' : 'map';
}

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
