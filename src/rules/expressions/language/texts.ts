import { attempt } from '../../../text/attempt.js';
import { replaceParts } from '../../../text/lossless-json/replace-parts.js';
import { compilePattern } from '../../regular-expressions.js';
import { readUtf8 } from './conversions.js';
import { fail, itemsOf, List } from './kinds.js';
import { type CallContext, type Overload, overload } from './overloads.js';

/** Cost of parsing JSON or encoding bytes, relative to reading text. */
const PARSING = 16;

/** Methods of strings, bytes and lists of strings. Indexes count code points. */
export const TEXT_METHODS: Record<string, readonly Overload[]> = {
  contains: [overload<[string, string]>('string string -> bool', ([text, part]) => text.includes(part))],
  startsWith: [overload<[string, string]>('string string -> bool', ([text, part]) => text.startsWith(part))],
  endsWith: [overload<[string, string]>('string string -> bool', ([text, part]) => text.endsWith(part))],
  matches: [
    overload<[string, string]>('string string -> bool', ([text, pattern], context) => matches(text, pattern, context)),
  ],
  lowerAscii: [
    overload<[string]>('string -> string', ([text]) => text.replace(/[A-Z]+/g, (part) => part.toLowerCase())),
  ],
  upperAscii: [
    overload<[string]>('string -> string', ([text]) => text.replace(/[a-z]+/g, (part) => part.toUpperCase())),
  ],
  trim: [overload<[string]>('string -> string', ([text]) => text.trim())],
  indexOf: [
    overload<[string, string]>('string string -> int', ([text, part]) => placeOf(text, text.indexOf(part))),
    overload<[string, string, bigint]>('string string int -> int', ([text, part, from]) =>
      placeOf(text, text.indexOf(part, unitAt(text, from))),
    ),
  ],
  lastIndexOf: [
    overload<[string, string]>('string string -> int', ([text, part]) => placeOf(text, text.lastIndexOf(part))),
    overload<[string, string, bigint]>('string string int -> int', ([text, part, from]) =>
      placeOf(text, text.lastIndexOf(part, unitAt(text, from))),
    ),
  ],
  substring: [
    overload<[string, bigint]>('string int -> string', ([text, from]) => text.slice(unitAt(text, from))),
    overload<[string, bigint, bigint]>('string int int -> string', ([text, from, to]) =>
      from > to ? fail('substring() ends before it begins') : text.slice(unitAt(text, from), unitAt(text, to)),
    ),
  ],
  split: [
    overload<[string, string]>('string string -> list<string>', ([text, by]) => new List(split(text, by))),
    overload<[string, string, bigint]>(
      'string string int -> list<string>',
      ([text, by, max]) => new List(splitInto(split(text, by), by, Number(max))),
    ),
  ],
  join: [
    overload<[object]>('list -> string', ([list]) => textsOf(list).join('')),
    overload<[object, string]>('list string -> string', ([list, by]) => textsOf(list).join(by)),
  ],
  json: [
    overload<[Uint8Array]>('bytes -> any', ([bytes], { cost }) => {
      cost.spendOn(bytes, PARSING);
      return readJson(readUtf8(bytes));
    }),
  ],
  hex: [
    overload<[Uint8Array]>('bytes -> string', ([bytes], { cost }) => {
      cost.spendOn(bytes, PARSING);
      return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
    }),
  ],
  base64: [
    overload<[Uint8Array]>('bytes -> string', ([bytes], { cost }) => {
      cost.spendOn(bytes, PARSING);
      return writeBase64(bytes);
    }),
  ],
  string: [overload<[Uint8Array]>('bytes -> string', ([bytes]) => readUtf8(bytes))],
  at: [
    overload<[Uint8Array, bigint]>('bytes int -> int', ([bytes, place]) =>
      place >= 0n && place < bytes.length ? BigInt(bytes[Number(place)] as number) : fail(`there is no byte ${place}`),
    ),
  ],
};

/** Whether an RE2 pattern matches a part of a text. */
export function matches(text: string, pattern: string, { cost }: CallContext): boolean {
  const program = compilePattern(pattern);
  cost.spend(Math.ceil((text.length * program.programSize()) / 500));
  return program.matcher(text).find();
}

/** Number of code points, not of UTF-16 units. */
export function lettersIn(text: string): number {
  let pairs = 0;
  for (let at = 0; at < text.length - 1; at += 1) {
    if ((text.codePointAt(at) as number) > 0xffff) {
      pairs += 1;
      at += 1;
    }
  }
  return text.length - pairs;
}

function placeOf(text: string, unit: number): bigint {
  return BigInt(unit < 0 ? -1 : lettersIn(text.slice(0, unit)));
}

/** The UTF-16 index of a code point. @throws Failure beyond the end of the text. */
function unitAt(text: string, place: bigint): number {
  let unit = 0;
  for (let left = place; left > 0n && unit < text.length; left -= 1n)
    unit += (text.codePointAt(unit) as number) > 0xffff ? 2 : 1;
  const isThere = BigInt(lettersIn(text.slice(0, unit))) === place;
  return isThere ? unit : fail(`there is no place ${place} in a text of ${lettersIn(text)} letters`);
}

function split(text: string, by: string): string[] {
  return by === '' ? [...text] : text.split(by);
}

function splitInto(parts: string[], by: string, max: number): string[] {
  if (max === 0) return [];
  return max < 0 || parts.length <= max ? parts : [...parts.slice(0, max - 1), parts.slice(max - 1).join(by)];
}

function textsOf(list: object): string[] {
  return itemsOf(list).map((item) => (typeof item === 'string' ? item : fail('join() takes a list of texts only')));
}

function readJson(text: string): unknown {
  const value = attempt(() => JSON.parse(text) as unknown);
  if (value === undefined) return fail('the bytes are no JSON');
  replaceParts(
    text,
    (token) => fail(`the JSON has the number ${token}, which would be changed`),
    (fault) => fail(`the JSON ${fault}`),
  );
  return value;
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';

function writeBase64(bytes: Uint8Array): string {
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 3) {
    const [a = 0, b, c] = bytes.subarray(at, at + 3);
    const all = (a << 16) | ((b ?? 0) << 8) | (c ?? 0);
    const letters = [18, 12, 6, 0].map((shift) => BASE64[(all >> shift) & 63] as string);
    parts.push(
      letters.slice(0, 2).join(''),
      b === undefined ? '=' : (letters[2] as string),
      c === undefined ? '=' : (letters[3] as string),
    );
  }
  return parts.join('');
}
