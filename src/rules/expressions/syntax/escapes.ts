import { SyntaxFailure } from './syntax-failure.js';

const PLAIN: Record<string, string> = {
  ...{ '\\': '\\', '?': '?', '"': '"', "'": "'", '`': '`' },
  ...{ a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' },
};

const ESCAPE = /\\(?:([\\?"'`abfnrtv])|[xX]([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|)/g;

/** Takes the text inside the quotes. @throws SyntaxFailure for an invalid escape or half a surrogate pair. */
export function readEscapes(
  written: string,
  how: { isRaw: boolean; isBytes: boolean; range: { start: number; end: number } },
): string | Uint8Array {
  if (how.isBytes) return readBytes(written, how);
  if (how.isRaw || !written.includes('\\')) return written;
  return written.replace(ESCAPE, (all, plain, hex, short, long, octal) => {
    if (plain !== undefined) return PLAIN[plain] ?? '';
    const code = codeOf(all, hex, short, long, octal, how.range);
    return String.fromCodePoint(code);
  });
}

/** In bytes, `\x` and octal escapes are single bytes; other characters are encoded in UTF-8. */
function readBytes(
  written: string,
  { isRaw, range }: { isRaw: boolean; range: { start: number; end: number } },
): Uint8Array {
  const encoder = new TextEncoder();
  if (isRaw) return encoder.encode(written);
  const bytes: number[] = [];
  let from = 0;
  for (const match of written.matchAll(ESCAPE)) {
    bytes.push(...encoder.encode(written.slice(from, match.index)));
    from = match.index + match[0].length;
    const [all, plain, hex, short, long, octal] = match;
    if (short !== undefined || long !== undefined) throw noEscape(all, range);
    bytes.push(plain === undefined ? codeOf(all, hex, short, long, octal, range) : (PLAIN[plain] ?? '').charCodeAt(0));
  }
  bytes.push(...encoder.encode(written.slice(from)));
  return Uint8Array.from(bytes);
}

function codeOf(
  all: string,
  hex: string | undefined,
  short: string | undefined,
  long: string | undefined,
  octal: string | undefined,
  range: { start: number; end: number },
): number {
  const digits = hex ?? short ?? long;
  const code = digits === undefined ? Number.parseInt(octal ?? '', 8) : Number.parseInt(digits, 16);
  if (Number.isNaN(code) || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff)) throw noEscape(all, range);
  return code;
}

function noEscape(all: string, range: { start: number; end: number }): SyntaxFailure {
  return new SyntaxFailure(`Invalid escape in a text: ${all}`, range);
}
