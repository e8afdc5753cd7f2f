import type { Json } from '../../contracts/json.js';
import { AbilityError } from '../../contracts/problem.js';
import { faultInUtf8 } from './decode-utf8.js';
import { type BigIntegers, markNumbers, type Reading, withoutMarks } from './marked-json.js';

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

/** V8's quotation of the unreadable text, such as `, ..."a": secr"... is not valid JSON`. */
const QUOTED = /, (?:\.{3})?"[\s\S]*"(?:\.{3})? is not valid JSON/g;

/** V8's message for invalid JSON without its quote, which may contain part of a secret that masking misses. */
export function withoutQuote(message: string): string {
  return message.replaceAll(QUOTED, ' where JSON has none');
}
