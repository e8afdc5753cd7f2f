import { fail, kindOf, type Moment, type Span, TYPE_NAMES, TypeName, type Uint } from './kinds.js';
import { momentOf, readMoment, readSpan, SECOND, splitMoment, writeMoment, writeSpan } from './moments.js';
import { asInt, asUint } from './operators.js';
import { type Overload, overload } from './overloads.js';

const TRUE: ReadonlySet<string> = new Set(['1', 't', 'true', 'TRUE', 'True']);
const FALSE: ReadonlySet<string> = new Set(['0', 'f', 'false', 'FALSE', 'False']);
const WHOLE = /^[-+]?\d+$/;
const DOUBLE = /^[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/;
const WORDS: Record<string, number> = {
  nan: Number.NaN,
  inf: Number.POSITIVE_INFINITY,
  infinity: Number.POSITIVE_INFINITY,
};

const same = ([value]: unknown[]): unknown => value;

export const CONVERSIONS: Record<string, readonly Overload[]> = {
  dyn: [overload('any -> any', same)],
  type: [overload('any -> type', ([value]) => new TypeName(TYPE_NAMES[kindOf(value)]))],
  bool: [overload('bool -> bool', same), overload<[string]>('string -> bool', ([text]) => readBool(text))],
  int: [
    overload('int -> int', same),
    overload<[Uint]>('uint -> int', ([{ value }]) => asInt(value)),
    overload<[number]>('double -> int', ([value]) => intOf(value)),
    overload<[string]>('string -> int', ([text]) => asInt(readInteger(text))),
    overload<[Moment]>('timestamp -> int', ([moment]) => BigInt(splitMoment(moment).seconds)),
  ],
  uint: [
    overload('uint -> uint', same),
    overload<[bigint]>('int -> uint', ([value]) => asUint(value)),
    overload<[number]>('double -> uint', ([value]) => asUint(truncated(value))),
    overload<[string]>('string -> uint', ([text]) => asUint(readInteger(text))),
  ],
  double: [
    overload('double -> double', same),
    overload<[bigint]>('int -> double', ([value]) => Number(value)),
    overload<[Uint]>('uint -> double', ([{ value }]) => Number(value)),
    overload<[string]>('string -> double', ([text]) => readDouble(text)),
  ],
  string: [
    overload('string -> string', same),
    overload<[boolean]>('bool -> string', ([value]) => `${value}`),
    overload<[bigint]>('int -> string', ([value]) => `${value}`),
    overload<[Uint]>('uint -> string', ([{ value }]) => `${value}`),
    overload<[number]>('double -> string', ([value]) => writeDouble(value)),
    overload<[Uint8Array]>('bytes -> string', ([bytes]) => readUtf8(bytes)),
    overload<[Moment]>('timestamp -> string', ([moment]) => writeMoment(moment)),
    overload<[Span]>('duration -> string', ([span]) => writeSpan(span)),
  ],
  bytes: [
    overload('bytes -> bytes', same),
    overload<[string]>('string -> bytes', ([text]) => new TextEncoder().encode(text)),
  ],
  timestamp: [
    overload('timestamp -> timestamp', same),
    overload<[string]>('string -> timestamp', ([text]) => readMoment(text)),
    overload<[bigint]>('int -> timestamp', ([seconds]) => momentOf(seconds * SECOND)),
  ],
  duration: [
    overload('duration -> duration', same),
    overload<[string]>('string -> duration', ([text]) => readSpan(text)),
  ],
};

function readBool(text: string): boolean {
  if (TRUE.has(text)) return true;
  return FALSE.has(text) ? false : fail(`bool() takes true or false, not ${JSON.stringify(text)}`);
}

/** Refuses -2^63 as well: doubles near it are rounded to it. */
function intOf(value: number): bigint {
  return Math.abs(value) < 2 ** 63 ? BigInt(Math.trunc(value)) : fail(`${value} is no int`);
}

function truncated(value: number): bigint {
  return Number.isFinite(value) ? BigInt(Math.trunc(value)) : fail(`${value} is no whole number`);
}

function readInteger(text: string): bigint {
  return WHOLE.test(text) ? BigInt(text.replace('+', '')) : fail(`${JSON.stringify(text)} is no whole number`);
}

function readDouble(text: string): number {
  if (DOUBLE.test(text)) return Number(text);
  const word = WORDS[text.replace(/^[-+]/, '').toLowerCase()];
  if (word === undefined) return fail(`${JSON.stringify(text)} is no number`);
  return text.startsWith('-') ? -word : word;
}

function writeDouble(value: number): string {
  if (Number.isFinite(value) || Number.isNaN(value)) return Object.is(value, -0) ? '-0' : `${value}`;
  return value > 0 ? '+Inf' : '-Inf';
}

/** @throws Failure for invalid UTF-8. */
export function readUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return fail('the bytes are no UTF-8');
  }
}
