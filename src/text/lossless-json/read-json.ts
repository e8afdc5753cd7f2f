import type { Json } from '../../contracts/json.js';
import { AbilityError } from '../../contracts/problem.js';
import { faultInUtf8 } from './decode-utf8.js';
import { type BigIntegers, exactNumber, markNumbers, type Reading, refused, withoutMarks } from './marked-json.js';
import { replaceParts } from './replace-parts.js';

/** How an implementation wants large integers to be read. */
export function integersOf(said: 'text' | undefined): BigIntegers {
  return said ?? 'refuse';
}

/** @throws AbilityError with the byte, if not UTF-8. */
export function readUtf8(bytes: Buffer, { code, what }: Pick<Reading, 'code' | 'what'>): string {
  const fault = faultInUtf8(bytes);
  if (fault === undefined) return bytes.toString('utf8');
  throw new AbilityError({
    code,
    message: `${what} is not UTF-8: byte ${fault.byte} ${fault.isCutOff ? 'begins an incomplete character' : 'is not part of a character'}`,
    details: { byte: fault.byte },
    suggestion: 'Write it in UTF-8.',
  });
}

/** Parses without changing values. @throws SyntaxError; AbilityError for a number that a double cannot hold. */
export function readJson(text: string, reading: Reading): Json {
  const value = JSON.parse(text) as Json;
  const marked = markNumbers(text);
  return marked === text ? value : withoutMarks(JSON.parse(marked) as Json, reading);
}

/** How to read what a caller sends. */
export interface InputReading extends Partial<Omit<Reading, 'what'>> {
  /** Such as `--input`. */
  what: string;
  /** Code for what is no JSON in UTF-8; absent: as for other faults. */
  broken?: string;
  /** What helps if it is no JSON. */
  suggestion?: string;
}

/**
 * What a caller sends, exactly or not at all. @param given text or bytes, of which a byte order mark is ignored.
 * @throws AbilityError with the code (default: `input.invalid`) and the place, for a number that a double cannot
 * hold, a key that an object has twice, an object of too many members, bytes that are not UTF-8, what is no JSON.
 */
export function readInput(given: string | Buffer, how: InputReading): Json {
  try {
    return JSON.parse(exactText(given, how)) as Json;
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    const { what, suggestion, code, broken = code ?? AS_INPUT.code } = how;
    const message = `${what} is no JSON: ${withoutQuote(cause.message)}`;
    const problem = { code: broken, message, ...(suggestion !== undefined && { suggestion }) };
    throw new AbilityError(problem, { cause });
  }
}

/** The text of what a caller sends. @throws AbilityError as {@link readInput}; SyntaxError for some invalid JSON. */
export function exactText(given: string | Buffer, { what, broken, ...how }: InputReading): string {
  const reading: Reading = { ...AS_INPUT, ...how, what };
  const text = typeof given === 'string' ? given : readUtf8(given, { code: broken ?? reading.code, what });
  return replaceParts(
    text.replace(/^\uFEFF/, ''),
    (token, path) => JSON.stringify(exactNumber(token, reading, path)),
    (fault, path) => {
      throw refused(reading, fault, path, 'Keep the one that is meant; pass more members as a list.');
    },
  );
}

/** Numbers of a caller are as they were written, or refused. */
const AS_INPUT = { integers: 'refuse', code: 'input.invalid', advice: 'Write it as text, in quotes.' } as const;

/** V8's quotation of the unreadable text, such as `, ..."a": secr"... is not valid JSON`. */
const QUOTED = /, (?:\.{3})?"[\s\S]*"(?:\.{3})? is not valid JSON/g;

/** V8's message for invalid JSON without its quote, which may contain part of a secret that masking misses. */
export function withoutQuote(message: string): string {
  return message.replaceAll(QUOTED, ' where JSON has none');
}
