/** The kinds of values of CEL. */
export type Kind =
  | ('null' | 'bool' | 'int' | 'uint' | 'double' | 'string' | 'bytes' | 'list' | 'map' | 'type')
  | ('timestamp' | 'duration' | 'optional');

/** The name that `type()` gives for each kind. */
export const TYPE_NAMES: Record<Kind, string> = {
  ...{ null: 'null_type', bool: 'bool', int: 'int', uint: 'uint', double: 'double', string: 'string', bytes: 'bytes' },
  ...{ list: 'list', map: 'map', type: 'type', optional: 'optional_type' },
  ...{ timestamp: 'google.protobuf.Timestamp', duration: 'google.protobuf.Duration' },
};

/** A whole number from 0 up to 2^64 - 1, of the kind `uint`. */
export class Uint {
  constructor(readonly value: bigint) {}
}

/** A moment, in nanoseconds since 1970. */
export class Moment {
  constructor(readonly nanos: bigint) {}
}

/** A duration in nanoseconds, which may be below zero. */
export class Span {
  constructor(readonly nanos: bigint) {}
}

/** A type as a value. */
export class TypeName {
  constructor(readonly name: string) {}
}

/** An optional value. */
export class Maybe {
  static readonly none: Maybe = new Maybe(undefined);

  constructor(readonly value: unknown) {}
}

/** A list that an expression made; its items are values of CEL, and no more those of JSON. */
export class List {
  constructor(readonly items: readonly unknown[]) {}
}

/** A map that an expression made; by a text for each key, since keys of several kinds are one. */
export class Dictionary {
  constructor(readonly entries: ReadonlyMap<string, readonly [key: unknown, value: unknown]>) {}
}

/** The kind of a value, including JSON lists and maps. */
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
