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

/**
 * Replaces numbers that a double cannot hold, and repeated keys. @param text may be invalid JSON unless `repeated` is
 * given; so is then the result. @param repeated gives the JSON for a key, decoded, that its object already has.
 */
export function replaceParts(
  text: string,
  replace: (token: string) => string,
  repeated?: (key: string) => string,
): string {
  if (!repeated && !MAY_HAVE_SOME.test(text)) return text;
  const parts: string[] = [];
  let done = 0;
  let at = 0;
  /** The keys of each open object; undefined for an open list. */
  const open: (Set<string> | undefined)[] = [];
  let isKeyNext = false;
  const put = (end: number, part: string): void => {
    parts.push(text.slice(done, at), part);
    done = end;
  };
  while (at < text.length) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) {
      const end = endOfString(text, at);
      const keys = open.at(-1);
      if (repeated && isKeyNext && keys) {
        const key = JSON.parse(text.slice(at, end)) as string;
        if (keys.has(key)) put(end, repeated(key));
        keys.add(key);
      }
      isKeyNext = false;
      at = end;
    } else if (character === MINUS || (character >= ZERO && character <= NINE)) {
      NUMBER.lastIndex = at;
      const [token] = NUMBER.exec(text) ?? ['-'];
      const end = at + token.length;
      if (faultOfNumber(token) !== undefined) put(end, replace(token));
      at = end;
    } else {
      if (character === OPEN) open.push(repeated && new Set());
      else if (character === OPEN_LIST) open.push(undefined);
      else if (character === CLOSE || character === CLOSE_LIST) open.pop();
      if (character === OPEN || character === COMMA) isKeyNext = open.at(-1) !== undefined;
      at += 1;
    }
  }
  return parts.join('') + text.slice(done);
}

const [QUOTE, COMMA, MINUS, ZERO, NINE, BACKSLASH] = [0x22, 0x2c, 0x2d, 0x30, 0x39, 0x5c];
const [OPEN, CLOSE, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];

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
