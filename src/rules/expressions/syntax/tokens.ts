import { Uint } from '../language/kinds.js';
import { type Range, SyntaxFailure } from './node.js';

/** A token of an expression. `kind` is the token itself for operators and brackets. */
export interface Token extends Range {
  kind: string;
  /** The value of a literal, the name of an identifier. */
  value?: unknown;
}

const NUMBER = /0[xX][0-9a-fA-F]+[uU]?|(?:\d*\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+)|\d+[uU]?/y;
const QUOTED_NAME = /`([-a-zA-Z0-9_./ ]+)`/y;
const QUOTE = /([bB]?[rR]?|[rR][bB])("""|'''|"|')/y;
const DOUBLE_OPERATORS: ReadonlySet<string> = new Set(['==', '!=', '<=', '>=', '&&', '||']);
const SINGLE_OPERATORS = '-+*/%<>!()[]{}.,:?';

const MAX_INT = 2n ** 63n - 1n;

/** The last token has the kind `end`. @throws SyntaxFailure for an invalid character or literal. */
export function readTokens(text: string): Token[] {
  const tokens: Token[] = [];
  for (let at = afterSpace(text, 0); at < text.length; ) {
    const token = readToken(text, at);
    tokens.push(token);
    at = afterSpace(text, token.end);
  }
  tokens.push({ kind: 'end', start: text.length, end: text.length });
  return tokens;
}

/** Skips blanks and comments, which begin with `//` and end with the line. */
function afterSpace(text: string, from: number): number {
  for (let at = from; ; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x2f && text.charCodeAt(at + 1) === 0x2f) {
      const end = text.indexOf('\n', at);
      if (end < 0) return text.length;
      at = end;
    } else if (code !== 0x20 && !(code >= 0x09 && code <= 0x0d && code !== 0x0b)) return at;
  }
}

function readToken(text: string, start: number): Token {
  const code = text.charCodeAt(start);
  if (isLetter(code)) {
    let end = start + 1;
    while (isLetter(text.charCodeAt(end)) || isDigit(text.charCodeAt(end))) end += 1;
    const next = text[end];
    // One or two letters right before a quote are a literal's prefix.
    if ((next === '"' || next === "'") && end - start <= 2) return readQuoted(text, start) ?? wordOf(text, start, end);
    return wordOf(text, start, end);
  }
  if (code === 0x22 || code === 0x27) return readQuoted(text, start) as Token;
  if (isDigit(code) || (code === 0x2e && isDigit(text.charCodeAt(start + 1)))) return readNumber(text, start);
  const two = text.slice(start, start + 2);
  if (DOUBLE_OPERATORS.has(two)) return { kind: two, start, end: start + 2 };
  const one = text[start] as string;
  if (SINGLE_OPERATORS.includes(one)) return { kind: one, start, end: start + 1 };
  QUOTED_NAME.lastIndex = start;
  const quoted = QUOTED_NAME.exec(text);
  if (quoted) return { kind: 'quoted name', value: quoted[1], start, end: start + quoted[0].length };
  const character = String.fromCodePoint(text.codePointAt(start) as number);
  throw new SyntaxFailure(`Unexpected character: ${character}`, { start, end: start + character.length });
}

function isLetter(code: number): boolean {
  return (code >= 0x61 && code <= 0x7a) || (code >= 0x41 && code <= 0x5a) || code === 0x5f;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function wordOf(text: string, start: number, end: number): Token {
  const word = text.slice(start, end);
  if (word === 'true' || word === 'false') return { kind: 'literal', value: word === 'true', start, end };
  if (word === 'null') return { kind: 'literal', value: null, start, end };
  return word === 'in' ? { kind: 'in', start, end } : { kind: 'name', value: word, start, end };
}

/** Accepts 2^63 as well, since a minus sign may precede it. */
function readNumber(text: string, start: number): Token {
  NUMBER.lastIndex = start;
  const [written = ''] = NUMBER.exec(text) ?? [];
  const end = start + written.length;
  const value = numberOf(written);
  if (value === undefined) throw new SyntaxFailure(`Invalid number: ${written}`, { start, end });
  return { kind: 'literal', value, start, end };
}

function numberOf(written: string): bigint | number | Uint | undefined {
  if (/[uU]$/.test(written)) {
    const value = BigInt(written.slice(0, -1));
    return value < 2n ** 64n ? new Uint(value) : undefined;
  }
  if (!/^0[xX]/.test(written) && /[.eE]/.test(written)) {
    const value = Number(written);
    return Number.isFinite(value) ? value : undefined;
  }
  const value = BigInt(written);
  return value <= MAX_INT + 1n ? value : undefined;
}

/** @returns undefined if no quote follows the prefix. */
function readQuoted(text: string, start: number): Token | undefined {
  QUOTE.lastIndex = start;
  const [opening, prefix = '', quote = ''] = QUOTE.exec(text) ?? [];
  if (opening === undefined) return undefined;
  const from = start + opening.length;
  const isRaw = /[rR]/.test(prefix);
  const isMany = quote.length === 3;
  for (let at = from; at < text.length; at += 1) {
    const character = text[at];
    if (character === quote[0] && text.startsWith(quote, at)) {
      const range = { start, end: at + quote.length };
      const value = readEscapes(text.slice(from, at), { isRaw, isBytes: /[bB]/.test(prefix), range });
      return { kind: 'literal', value, ...range };
    }
    if (!isMany && (character === '\n' || character === '\r')) {
      throw new SyntaxFailure('A text in single quotes ends on its line', { start: at, end: at + 1 });
    }
    if (!isRaw && character === '\\') at += 1;
  }
  throw new SyntaxFailure('A text has no closing quote', { start, end: text.length });
}

const PLAIN: Record<string, string> = {
  ...{ '\\': '\\', '?': '?', '"': '"', "'": "'", '`': '`' },
  ...{ a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
};

const ESCAPE = /\\(?:([\\?"'`abfnrtv])|[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|)/g;

/** Takes the text inside the quotes. @throws SyntaxFailure for an invalid escape or half a surrogate pair. */
function readEscapes(written: string, how: { isRaw: boolean; isBytes: boolean; range: Range }): string | Uint8Array {
  if (how.isBytes) return readBytes(written, how);
  if (how.isRaw || !written.includes('\\')) return written;
  return written.replace(ESCAPE, (all, plain, hex, short, long, octal) => {
    if (plain !== undefined) return PLAIN[plain] ?? '';
    return String.fromCodePoint(codeOf(all, hex ?? short ?? long, octal, how.range));
  });
}

/** In bytes, `\x` and octal escapes are single bytes; other characters are encoded in UTF-8. */
function readBytes(written: string, { isRaw, range }: { isRaw: boolean; range: Range }): Uint8Array {
  const encoder = new TextEncoder();
  if (isRaw) return encoder.encode(written);
  const bytes: number[] = [];
  let from = 0;
  for (const match of written.matchAll(ESCAPE)) {
    bytes.push(...encoder.encode(written.slice(from, match.index)));
    from = match.index + match[0].length;
    const [all, plain, hex, short, long, octal] = match;
    if (short !== undefined || long !== undefined) throw noEscape(all, range);
    bytes.push(plain === undefined ? codeOf(all, hex, octal, range) : (PLAIN[plain] ?? '').charCodeAt(0));
  }
  bytes.push(...encoder.encode(written.slice(from)));
  return Uint8Array.from(bytes);
}

function codeOf(all: string, digits: string | undefined, octal: string | undefined, range: Range): number {
  const code = digits === undefined ? Number.parseInt(octal ?? '', 8) : Number.parseInt(digits, 16);
  if (Number.isNaN(code) || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) throw noEscape(all, range);
  return code;
}

function noEscape(all: string, range: Range): SyntaxFailure {
  return new SyntaxFailure(`Invalid escape in a text: ${all}`, range);
}
