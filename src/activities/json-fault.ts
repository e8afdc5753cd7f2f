/** Where V8 quotes what it could not read, such as `, ..."a": secr"... is not valid JSON`. */
const QUOTED = /, (?:\.{3})?"[\s\S]*"(?:\.{3})? is not valid JSON/g;

/**
 * What was wrong with a text that is no JSON, without the piece of it that V8 quotes.
 *
 * The piece may be a part of a secret, and a part is not found when secrets are masked.
 */
export function withoutQuote(message: string): string {
  return message.replaceAll(QUOTED, ' where JSON has none');
}
