/** UTF-8 bytes of a text without its line breaks, each with its position in the text. */
export interface CanonicalText {
  bytes: Uint8Array;
  /** Number of valid entries; the arrays may be longer. */
  length: number;
  /** Start and end of each byte's character in the text, in UTF-16 units. */
  starts: Int32Array;
  ends: Int32Array;
}

const [TAB, LF, CR, BLANK, PERCENT, BACKSLASH] = [9, 10, 13, 32, 0x25, 0x5c] as const;
const [SMALL_U, SMALL_X, AMPERSAND] = [0x75, 0x78, 0x26] as const;

/** The meaning of a character after a backslash; 0: removed, as a line break is. See RFC 8259, section 7. */
const ESCAPED: ReadonlyMap<number, number> = new Map([
  [0x22, 0x22],
  [0x27, 0x27],
  [0x2f, 0x2f],
  [0x62, 8],
  [0x66, 12],
  [0x6e, 0],
  [0x72, 0],
  [0x74, TAB],
]);

const NOT_ASCII = /[^\0-\x7f]/;

/** Removes line breaks and the blanks around them. */
export function canonicalText(text: string): CanonicalText {
  // A UTF-16 unit takes up to three bytes; most texts are ASCII.
  const size = NOT_ASCII.test(text) ? text.length * 3 : text.length;
  const made = emptyText(size);
  for (let at = 0; at < text.length; ) {
    const unit = text.charCodeAt(at);
    if (unit === LF || unit === CR) at = breakLine(made, text, at + 1);
    else if (unit < 0x80) {
      put(made, unit, at, at + 1);
      at += 1;
    } else {
      const code = text.codePointAt(at) ?? unit;
      const end = at + (code > 0xffff ? 2 : 1);
      emit(made, code, at, end);
      at = end;
    }
  }
  return made;
}

/** @param size of the arrays. */
function emptyText(size: number): CanonicalText {
  return { bytes: new Uint8Array(size), length: 0, starts: new Int32Array(size), ends: new Int32Array(size) };
}

export function holdsEscapes({ bytes, length }: CanonicalText): boolean {
  const used = bytes.subarray(0, length);
  return used.includes(PERCENT) || used.includes(BACKSLASH) || used.includes(AMPERSAND);
}

/** Decodes escapes of URLs, JSON and HTML in place, also the octal ones of a shell. Many backslashes count as one, so that nested JSON is decoded. */
export function decodeEscapes(text: CanonicalText): void {
  const { bytes, starts, ends, length } = text;
  text.length = 0;
  for (let at = 0; at < length; ) {
    const byte = bytes[at] as number;
    let next = at + 1;
    let code: number | undefined;
    let isByte = byte === PERCENT;
    if (byte === PERCENT) {
      code = hex(bytes, next, 2, length);
      if (code !== undefined) next += 2;
    } else if (byte === AMPERSAND) {
      const read = readReference(bytes, next, length);
      code = read?.code;
      next = read?.next ?? next;
    } else if (byte === BACKSLASH) {
      while (next < length && bytes[next] === BACKSLASH) next += 1;
      const octal = readOctal(bytes, next, length);
      isByte = octal !== undefined;
      const escaped = octal ?? readEscape(bytes, next, length);
      code = escaped?.code;
      next = escaped?.next ?? next;
    }
    const [start, end] = [starts[at] as number, ends[next - 1] as number];
    at = next;
    if (code === undefined) put(text, byte, start, end);
    else if (code === LF || code === CR || code === 0) {
      dropBlanksBefore(text);
      while (at < length && isBlank(bytes[at])) at += 1;
    } else if (isByte) put(text, code, start, end);
    else emit(text, code, start, end);
  }
}

/** For a text that was wrapped at blanks: it is unknown at which ones. */
export function withoutBlanks(text: CanonicalText): CanonicalText {
  return without(text, isBlank);
}

const QUOTES: ReadonlySet<number | undefined> = new Set([0x22, 0x27, BACKSLASH]);

/** For a text that a shell quoted, such as `'it'\\''s'`, or a program that doubles quotes. */
export function withoutQuotes(text: CanonicalText): CanonicalText {
  return without(text, (byte) => QUOTES.has(byte));
}

function without(
  { bytes, starts, ends, length }: CanonicalText,
  isDropped: (byte: number | undefined) => boolean,
): CanonicalText {
  const made = emptyText(length);
  for (let at = 0; at < length; at += 1) {
    const byte = bytes[at] as number;
    if (!isDropped(byte)) put(made, byte, starts[at] as number, ends[at] as number);
  }
  return made;
}

/** Three octal digits. */
function readOctal(bytes: Uint8Array, at: number, length: number): { code: number; next: number } | undefined {
  if (at + 3 > length) return undefined;
  const digits = String.fromCharCode(...bytes.subarray(at, at + 3));
  return /^[0-3][0-7]{2}$/.test(digits) ? { code: Number.parseInt(digits, 8), next: at + 3 } : undefined;
}

const NAMED: Readonly<Record<string, number>> = { amp: 0x26, lt: 0x3c, gt: 0x3e, quot: 0x22, apos: 0x27 };

/** The character of an HTML reference, of which `at` is behind the ampersand. */
function readReference(bytes: Uint8Array, at: number, length: number): { code: number; next: number } | undefined {
  const text = String.fromCharCode(...bytes.subarray(at, Math.min(length, at + 10)));
  const [all, name = '', decimal, hexadecimal] =
    /^(?:(amp|lt|gt|quot|apos)|#(\d{1,7})|#x([\da-f]{1,6}));/i.exec(text) ?? [];
  if (all === undefined) return undefined;
  const code = NAMED[name.toLowerCase()] ?? (decimal ? Number(decimal) : Number.parseInt(hexadecimal ?? '', 16));
  return code <= 0x10ffff ? { code, next: at + all.length } : undefined;
}

function readEscape(bytes: Uint8Array, at: number, length: number): { code: number; next: number } | undefined {
  const kind = at < length ? (bytes[at] as number) : 0;
  if (kind === SMALL_X) {
    const code = hex(bytes, at + 1, 2, length);
    return code === undefined ? undefined : { code, next: at + 3 };
  }
  if (kind !== SMALL_U) {
    const code = ESCAPED.get(kind);
    return code === undefined ? undefined : { code, next: at + 1 };
  }
  const code = hex(bytes, at + 1, 4, length);
  if (code === undefined) return undefined;
  let next = at + 5;
  if (code < 0xd800 || code > 0xdbff) return { code, next };
  while (next < length && bytes[next] === BACKSLASH) next += 1;
  const low = next > at + 5 && bytes[next] === SMALL_U ? hex(bytes, next + 1, 4, length) : undefined;
  if (low === undefined || low < 0xdc00 || low > 0xdfff) return { code, next: at + 5 };
  return { code: 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00), next: next + 5 };
}

function hex(bytes: Uint8Array, from: number, digits: number, length: number): number | undefined {
  if (from + digits > length) return undefined;
  let value = 0;
  for (let at = from; at < from + digits; at += 1) {
    const byte = (bytes[at] as number) | 0x20;
    const digit = byte >= 0x61 && byte <= 0x66 ? byte - 0x57 : (bytes[at] as number) - 0x30;
    if (digit < 0 || digit > 15 || (digit > 9 && byte < 0x61)) return undefined;
    value = value * 16 + digit;
  }
  return value;
}

/** Also removes the blanks around the line break. @returns the next position. */
function breakLine(made: CanonicalText, text: string, from: number): number {
  dropBlanksBefore(made);
  let at = from;
  while (isBlank(text.charCodeAt(at))) at += 1;
  return at;
}

function dropBlanksBefore(made: CanonicalText): void {
  while (made.length > 0 && isBlank(made.bytes[made.length - 1])) made.length -= 1;
}

function isBlank(code: number | undefined): boolean {
  return code === BLANK || code === TAB;
}

/** Writes a character in UTF-8; a lone surrogate takes three bytes. */
function emit(made: CanonicalText, code: number, start: number, end: number): void {
  const bytes = bytesOf(code);
  for (const byte of bytes) put(made, byte, start, end);
}

function bytesOf(code: number): number[] {
  const tail = 0x80 | (code & 0x3f);
  if (code < 0x80) return [code];
  if (code < 0x800) return [0xc0 | (code >> 6), tail];
  const middle = 0x80 | ((code >> 6) & 0x3f);
  if (code < 0x10000) return [0xe0 | (code >> 12), middle, tail];
  return [0xf0 | (code >> 18), 0x80 | ((code >> 12) & 0x3f), middle, tail];
}

function put(made: CanonicalText, byte: number, start: number, end: number): void {
  made.bytes[made.length] = byte;
  made.starts[made.length] = start;
  made.ends[made.length] = end;
  made.length += 1;
}
