import {
  itemsOf,
  type Kind,
  keysOf,
  kindOf,
  type Maybe,
  type Moment,
  type Span,
  sizeOfMap,
  type TypeName,
  Uint,
  valueAt,
} from './kinds.js';

const NUMBERS: ReadonlySet<Kind> = new Set(['int', 'uint', 'double']);

/** Compares numbers by value, lists and maps deeply. */
export function areEqual(left: unknown, right: unknown): boolean {
  if (typeof left === 'string' || typeof left === 'boolean' || left === null) return left === right;
  if (typeof left === 'bigint' && typeof right === 'bigint') return left === right;
  const [kind, other] = [kindOf(left), kindOf(right)];
  if (NUMBERS.has(kind) && NUMBERS.has(other)) return orderNumbers(left, right) === 0;
  return kind === other && areAlike(kind, left, right);
}

function areAlike(kind: Kind, left: unknown, right: unknown): boolean {
  switch (kind) {
    case 'list': {
      const [a, b] = [itemsOf(left as object), itemsOf(right as object)];
      return a.length === b.length && a.every((item, index) => areEqual(item, b[index]));
    }
    case 'map': {
      const [a, b] = [left as object, right as object];
      return (
        sizeOfMap(a) === sizeOfMap(b) &&
        keysOf(a).every((key) => {
          const there = valueAt(b, key);
          return there !== undefined && areEqual(valueAt(a, key), there);
        })
      );
    }
    case 'bytes':
      return orderBytes(left as Uint8Array, right as Uint8Array) === 0;
    case 'timestamp':
    case 'duration':
      return (left as Moment | Span).nanos === (right as Moment | Span).nanos;
    case 'type':
      return (left as TypeName).name === (right as TypeName).name;
    case 'optional': {
      const [a, b] = [(left as Maybe).value, (right as Maybe).value];
      return a === undefined || b === undefined ? a === b : areEqual(a, b);
    }
    default:
      return left === right;
  }
}

/** Negative if left is less, 0 if equal, NaN if one is NaN. Compares an integer with a double as a double. */
export function orderNumbers(left: unknown, right: unknown): number {
  const [a, b] = [plain(left), plain(right)];
  if (typeof a === typeof b) return a < b ? -1 : a > b ? 1 : a === b ? 0 : Number.NaN;
  return orderNumbers(Number(a), Number(b));
}

/** By code points; result as in {@link orderNumbers}. */
export function orderTexts(left: string, right: string): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at += 1) {
    const [a, b] = [left.charCodeAt(at), right.charCodeAt(at)];
    // Surrogates encode characters beyond all others.
    if (a !== b) return rank(a) - rank(b);
  }
  return left.length - right.length;
}

function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

/** Byte by byte; result as in {@link orderNumbers}. */
export function orderBytes(left: Uint8Array, right: Uint8Array): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at += 1) {
    const difference = (left[at] as number) - (right[at] as number);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}

function plain(value: unknown): bigint | number {
  return value instanceof Uint ? value.value : (value as bigint | number);
}
