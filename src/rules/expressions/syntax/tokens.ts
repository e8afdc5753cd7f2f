import { Uint } from '../language/kinds.js';
import { readEscapes } from './escapes.js';
import { SyntaxFailure } from './syntax-failure.js';

/** A piece of the text of an expression. Operators and brackets are their own kind. */
export interface Token {
  kind: string;
  /** The value of a literal, the name of an identifier. */
  value?: unknown;
  start: number;
  end: number;
}

const SPACE = /(?:[ \t\n\f\r]|\/\/[^\n]*)*/y;
const NUMBER = /0[xX][0-9a-fA-F]+[uU]?|(?:\d*\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)|\d+[uU]?/y;
const NAME = /[_a-zA-Z][_a-zA-Z0-9]*/y;
const OPERATOR = /==|!=|<=|>=|&&|\|\||[-+*/%<>!()[\]{}.,:?]/y;
const QUOTED_NAME = /`([-a-zA-Z0-9_./ ]+)`/y;
const QUOTE = /([bB]?[rR]?|[rR][bB])("""|'''|"|')/y;

const MAX_INT = 2n ** 63n - 1n;

/**
 * Cuts an expression into its tokens, the last of which has the kind `end`.
 *
 * @throws SyntaxFailure for a character that begins none, and for a literal that is not valid.
 */
export function readTokens(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  for (;;) {
    at += match(SPACE)?.[0].length ?? 0;
    const start = at;
    if (at >= text.length) {
      tokens.push({ kind: 'end', start, end: at });
      return tokens;
    }
    const quote = match(QUOTE);
    const number = quote ? null : match(NUMBER);
    const name = quote || number ? null : match(NAME);
    if (quote) {
      const [value, end] = readQuoted(text, start, quote[1] ?? '', quote[2] ?? '');
      at = end;
      tokens.push({ kind: 'literal', value, start, end });
    } else if (number) {
      at += number[0].length;
      tokens.push({ kind: 'literal', value: readNumber(number[0], start, at), start, end: at });
    } else if (name) {
      at += name[0].length;
      tokens.push({ ...wordOf(name[0]), start, end: at });
    } else {
      const quoted = match(QUOTED_NAME);
      const operator = quoted ? null : match(OPERATOR);
      if (!quoted && !operator) {
        const character = String.fromCodePoint(text.codePointAt(at) ?? 0);
        throw new SyntaxFailure(`Unexpected character: ${character}`, { start, end: at + character.length });
      }
      at += (quoted ?? operator)?.[0].length ?? 0;
      const token = quoted ? { kind: 'quoted name', value: quoted[1] } : { kind: operator?.[0] ?? '' };
      tokens.push({ ...token, start, end: at });
    }
  }
}

function wordOf(word: string): { kind: string; value?: unknown } {
  if (word === 'true' || word === 'false') return { kind: 'literal', value: word === 'true' };
  if (word === 'null') return { kind: 'literal', value: null };
  return word === 'in' ? { kind: 'in' } : { kind: 'name', value: word };
}

/** One more than the largest int is read as well: a minus sign may stand before it. */
function readNumber(text: string, start: number, end: number): bigint | number | Uint {
  const isHex = /^0[xX]/.test(text);
  const refuse = (): never => {
    throw new SyntaxFailure(`Invalid number: ${text}`, { start, end });
  };
  if (/[uU]$/.test(text)) {
    const value = BigInt(text.slice(0, -1));
    return value < 2n ** 64n ? new Uint(value) : refuse();
  }
  if (!isHex && /[.eE]/.test(text)) {
    const value = Number(text);
    return Number.isFinite(value) ? value : refuse();
  }
  const value = BigInt(text);
  return value <= MAX_INT + 1n ? value : refuse();
}

function readQuoted(text: string, start: number, prefix: string, quote: string): [string | Uint8Array, number] {
  const from = start + prefix.length + quote.length;
  const isRaw = /[rR]/.test(prefix);
  const isMany = quote.length === 3;
  for (let at = from; at < text.length; at += 1) {
    const character = text[at];
    if (text.startsWith(quote, at)) {
      const range = { start, end: at + quote.length };
      const value = readEscapes(text.slice(from, at), { isRaw, isBytes: /[bB]/.test(prefix), range });
      return [value, range.end];
    }
    if (!isMany && (character === '\n' || character === '\r')) {
      throw new SyntaxFailure('A text in single quotes ends on its line', { start: at, end: at + 1 });
    }
    if (!isRaw && character === '\\') at += 1;
  }
  throw new SyntaxFailure('A text has no closing quote', { start, end: text.length });
}
