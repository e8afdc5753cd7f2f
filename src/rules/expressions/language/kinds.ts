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
