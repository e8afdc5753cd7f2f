const NUMBER = /-?\d+(?:\.(\d+))?([eE][+-]?\d+)?/y;
/** Only a text with 16 digits or a three-digit exponent can have a number that a double cannot hold. */
const MAY_HAVE_SOME = /\d{16}|\d[eE]\+?\d{3}/;

/** Why a double cannot hold a number; undefined: it can. */
export type NumberFault = 'inexact_integer' | 'too_large' | undefined;

/**
 * Why a number, as written, cannot be read as a double. An integer beyond 2^53 - 1 cannot, with or without `.0`,
 * since its neighbour reads the same; one with a fraction or an exponent is a decimal, and rounded.
 */
export function faultOfNumber(token: string): NumberFault {
  if (!Number.isFinite(Number(token))) return 'too_large';
  const isInteger = /^-?\d+(\.0+)?$/.test(token);
  return isInteger && !Number.isSafeInteger(Number(token)) ? 'inexact_integer' : undefined;
}

/** Replaces only numbers that a double cannot hold. @param text may be invalid JSON; so is then the result. */
export function replaceNumbers(text: string, replace: (token: string) => string): string {
  if (!MAY_HAVE_SOME.test(text)) return text;
  const parts: string[] = [];
  let done = 0;
  let at = 0;
  while (at < text.length) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) at = endOfString(text, at);
    else if (character === MINUS || (character >= ZERO && character <= NINE)) {
      NUMBER.lastIndex = at;
      const [token] = NUMBER.exec(text) ?? ['-'];
      if (faultOfNumber(token) !== undefined) {
        parts.push(text.slice(done, at), replace(token));
        done = at + token.length;
      }
      at += token.length;
    } else at += 1;
  }
  return parts.join('') + text.slice(done);
}

const [QUOTE, MINUS, ZERO, NINE, BACKSLASH] = [0x22, 0x2d, 0x30, 0x39, 0x5c];

function endOfString(text: string, start: number): number {
  let end = start;
  do {
    end = text.indexOf('"', end + 1);
    if (end < 0) return text.length;
  } while (isEscaped(text, end));
  return end + 1;
}

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0;
  while (text.charCodeAt(at - 1 - backslashes) === BACKSLASH) backslashes += 1;
  return backslashes % 2 === 1;
}
