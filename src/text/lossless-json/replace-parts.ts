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

/** Larger objects would hold up all callers of a process; data of that size are lists. */
const MOST_KEYS = 50_000;

/** Keys and indexes that lead to a place. */
export type Path = readonly (string | number)[];

/** An open object or list: its keys, and the key or index that is being read. */
interface Open {
  keys?: Set<string>;
  at: string | number;
}

/**
 * Replaces numbers that a double cannot hold. @param text may be invalid JSON; so is then the result.
 * @param keyFault is called for a key that its object already has, or that is one too many. @throws SyntaxError for
 * a key that is no JSON, only with `keyFault`.
 */
export function replaceParts(
  text: string,
  replace: (token: string, path: Path) => string,
  keyFault?: (fault: string, path: Path) => void,
): string {
  if (!keyFault && !MAY_HAVE_SOME.test(text)) return text;
  const parts: string[] = [];
  let done = 0;
  let at = 0;
  const open: Open[] = [];
  const path = (): Path => open.map((one) => one.at);
  let isKeyNext = false;
  while (at < text.length) {
    const character = text.charCodeAt(at);
    if (character === QUOTE) {
      const end = endOfString(text, at);
      const { keys } = (isKeyNext && open.at(-1)) || {};
      if (keyFault && keys) {
        const key = JSON.parse(text.slice(at, end)) as string;
        (open.at(-1) as Open).at = key;
        if (keys.has(key)) keyFault(`has the key ${JSON.stringify(key)} twice`, path());
        else if (keys.add(key).size > MOST_KEYS) keyFault(`has an object of more than ${MOST_KEYS} members`, path());
      }
      isKeyNext = false;
      at = end;
    } else if (character === MINUS || (character >= ZERO && character <= NINE)) {
      NUMBER.lastIndex = at;
      const [token] = NUMBER.exec(text) ?? ['-'];
      if (faultOfNumber(token) !== undefined) {
        parts.push(text.slice(done, at), replace(token, path()));
        done = at + token.length;
      }
      at += token.length;
    } else {
      if (keyFault) {
        const within = open.at(-1);
        if (character === OPEN) open.push({ keys: new Set(), at: '' });
        else if (character === OPEN_LIST) open.push({ at: 0 });
        else if (character === CLOSE || character === CLOSE_LIST) open.pop();
        else if (character === COMMA && typeof within?.at === 'number') within.at += 1;
        if (character === OPEN || character === COMMA) isKeyNext = open.at(-1)?.keys !== undefined;
      }
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

/**
 * Keys that an object of a JSON text has twice, at any depth, each once. `JSON.parse` silently keeps the last,
 * though the first may be the intended one. Keys are compared decoded: escapes make no difference. @param json
 * valid JSON.
 */
export function duplicateKeys(json: string): string[] {
  const found = new Set<string>();
  const keep = (fault: string, path: readonly (string | number)[]): void => {
    if (fault.endsWith(' twice')) found.add(String(path.at(-1)));
  };
  replaceParts(json, (token) => token, keep);
  return [...found];
}
