import type { Json } from '../../contracts/json.js';
import { AbilityError } from '../../contracts/problem.js';
import { faultInUtf8 } from './decode-utf8.js';
import { faultOfNumber, type Path, replaceParts } from './replace-parts.js';

/** Prefix of strings that nothing outside this process can write. */
const SECRET = crypto.randomUUID();
const NUMBER_MARK = `number:${SECRET}:`;
const BYTES_MARK = `bytes:${SECRET};`;

/** Treatment of integers that a double cannot hold: `text` keeps them as written. */
export type BigIntegers = 'refuse' | 'text' | 'round';

/** How to read the answer of a call, and whom an error blames. */
export interface Reading {
  integers: BigIntegers;
  /** Such as `script.output_invalid`. */
  code: string;
  /** Such as `The output of db.write`. */
  what: string;
  /** What helps against a number that would be changed; absent: what an implementation can do. */
  advice?: string;
}

/** Replaces numbers that a double cannot hold by marked strings, which {@link withoutMarks} reads. */
export function markNumbers(text: string): string {
  return replaceParts(text, (token) => `"${NUMBER_MARK}${token}"`);
}

/** Decodes a message with {@link markNumbers}, and marks bytes that are not UTF-8. */
export function markBytes(bytes: Buffer): string {
  const fault = faultInUtf8(bytes);
  if (fault === undefined) return markNumbers(bytes.toString('utf8'));
  // In an already broken message, a genuine replacement character is taken for broken bytes.
  const rest = bytes.toString('utf8', fault.byte).replaceAll('\uFFFD', BYTES_MARK);
  return markNumbers(bytes.toString('utf8', 0, fault.byte) + rest);
}

/**
 * Replaces marks: integers become text (`text`) or the nearest double (`round`). @throws AbilityError with the
 * reading's code and the place, for other numbers that a double cannot hold, and for bytes that are not UTF-8.
 */
export function withoutMarks(value: Json, reading: Reading, path: Path = []): Json {
  if (typeof value === 'string') return unmarked(value, reading, path);
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item, index) => withoutMarks(item, reading, [...path, index]));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      const name = key.includes(SECRET) ? String(unmarked(key, reading, path)) : key;
      return [name, withoutMarks(item, reading, [...path, name])];
    }),
  );
}

function unmarked(text: string, reading: Reading, path: Path): Json {
  if (!text.includes(SECRET)) return text;
  if (!text.startsWith(NUMBER_MARK)) return withoutBytes(text, reading, path);
  const token = text.slice(NUMBER_MARK.length);
  if (reading.integers === 'round') return Number(token);
  return exactNumber(token, reading, path);
}

/** An integer that a double cannot hold, as text if it may be that. @throws AbilityError with the place. */
export function exactNumber(token: string, reading: Reading, path: Path): string {
  const isTooLarge = faultOfNumber(token) === 'too_large' && !/^-?\d+$/.test(token);
  if (reading.integers === 'text' && !isTooLarge) return token;
  const shown = token.length > 60 ? `${token.slice(0, 57)}...` : token;
  throw refused(
    reading,
    `contains the ${isTooLarge ? 'number' : 'integer'} ${shown}, which would be changed: it is beyond what a JSON number can safely represent`,
    path,
    reading.advice ??
      (isTooLarge ? 'Write it as text.' : 'Write it as text, or set `big_integers: text` in the implementation.'),
    { number: shown },
  );
}

function withoutBytes(text: string, reading: Reading, path: Path): string {
  if (reading.integers === 'round') return text.replaceAll(BYTES_MARK, '\uFFFD');
  const before = Buffer.byteLength(text.slice(0, text.indexOf(BYTES_MARK)));
  const fault = `has bytes that are not UTF-8 (byte ${before} of the text there)`;
  throw refused(reading, fault, path, 'Write it in UTF-8.', { byte: before });
}

export function refused(
  { code, what }: Reading,
  fault: string,
  path: Path,
  suggestion: string,
  more: { number?: string; byte?: number } = {},
): AbilityError {
  const pointer = path.map((step) => `/${String(step).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
  const where = pointer === '' ? '' : ` (at ${pointer})`;
  return new AbilityError({
    code,
    message: `${what} ${fault}${where}`,
    details: { path, pointer, ...more },
    suggestion,
  });
}
