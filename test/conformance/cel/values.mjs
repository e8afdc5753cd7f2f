// Between the values of the suite (cel.expr.Value) and those of the evaluator.

import {
  Dictionary,
  idOfKey,
  itemsOf,
  keysOf,
  kindOf,
  List,
  Moment,
  Span,
  TypeName,
  Uint,
  valueAt,
} from '../../../build/rules/expressions/language/kinds.js';

/** A value of the suite that has no counterpart here, with what it needs. */
export class Missing extends Error {
  constructor(needs) {
    super(needs);
    this.needs = needs;
  }
}

/** The value of the evaluator for one of the suite. @throws Missing. */
export function readValue(message) {
  const [kind] = Object.keys(message);
  const field = message[kind]?.[0];
  switch (kind) {
    case 'null_value':
      return null;
    case 'bool_value':
      return field.word === 'true';
    case 'int64_value':
      return BigInt(field.word);
    case 'uint64_value':
      return new Uint(BigInt(field.word));
    case 'double_value':
      return numberOf(field.word);
    case 'string_value':
      return field.bytes.toString('utf8');
    case 'bytes_value':
      return Uint8Array.from(field.bytes);
    case 'type_value':
      return new TypeName(field.bytes.toString('utf8'));
    case 'list_value':
      return new List((field.values ?? []).map(readValue));
    case 'map_value':
      return new Dictionary(new Map((field.entries ?? []).map(readEntry)));
    case 'object_value':
      return readObject(field);
    default:
      throw new Missing(kind === 'enum_value' ? 'messages' : `value ${kind}`);
  }
}

function readEntry({ key: [key], value: [value] }) {
  const read = readValue(key);
  return [idOfKey(read), [read, readValue(value)]];
}

function readObject(field) {
  const [name] = Object.keys(field);
  const inner = field[name]?.[0] ?? {};
  const number = (part) => BigInt(inner[part]?.[0].word ?? 0);
  const nanos = number('seconds') * 1_000_000_000n + number('nanos');
  if (name === '[type.googleapis.com/google.protobuf.Timestamp]') return new Moment(nanos);
  if (name === '[type.googleapis.com/google.protobuf.Duration]') return new Span(nanos);
  throw new Missing('messages');
}

function numberOf(word) {
  const words = { inf: Infinity, infinity: Infinity, '-inf': -Infinity, '-infinity': -Infinity, nan: NaN };
  return words[word.toLowerCase()] ?? Number(word);
}

/** Whether two values are the same, their kinds included: 1 is not 1.0 here. */
export function areSame(left, right) {
  const kind = kindOf(left);
  if (kind !== kindOf(right)) return false;
  switch (kind) {
    case 'list': {
      const [a, b] = [itemsOf(left), itemsOf(right)];
      return a.length === b.length && a.every((item, index) => areSame(item, b[index]));
    }
    case 'map': {
      const keys = keysOf(left);
      const isThere = (key) => valueAt(right, key) !== undefined && areSame(valueAt(left, key), valueAt(right, key));
      return keys.length === keysOf(right).length && keys.every(isThere);
    }
    case 'timestamp':
    case 'duration':
      return left.nanos === right.nanos;
    case 'uint':
      return left.value === right.value;
    case 'type':
      return left.name === right.name;
    case 'bytes':
      return Buffer.from(left).equals(Buffer.from(right));
    case 'optional':
      return left.value === undefined || right.value === undefined
        ? left.value === right.value
        : areSame(left.value, right.value);
    default:
      return Object.is(left, right) || left === right;
  }
}

/** A value in a form to read. */
export function show(value) {
  const kind = kindOf(value);
  if (kind === 'list') return `[${itemsOf(value).map(show).join(', ')}]`;
  if (kind === 'map')
    return `{${keysOf(value)
      .map((key) => `${show(key)}: ${show(valueAt(value, key))}`)
      .join(', ')}}`;
  if (kind === 'double') return Number.isInteger(value) ? `${value}.0` : `${value}`;
  if (kind === 'timestamp' || kind === 'duration') return `${kind} of ${value.nanos} ns`;
  if (kind === 'type') return `type ${value.name}`;
  if (kind === 'uint') return `${value.value}u`;
  if (kind === 'optional') return value.value === undefined ? 'optional.none()' : `optional.of(${show(value.value)})`;
  return kind === 'string' ? JSON.stringify(value) : String(value);
}
