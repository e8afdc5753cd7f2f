import { MARK } from './marks.js';
import { substitutionsIn } from './output-of.js';
import type { ShellText } from './shell-text.js';

export class WordReader {
  /** @param substitute takes the text of a substituted command and returns its output. */
  constructor(
    private readonly source: ShellText,
    private readonly substitute: (inner: string) => string,
  ) {}

  read(): string {
    let word = '';
    while (this.source.at < this.source.text.length) {
      const letter = this.source.letter() as string;
      if (/[<>]/.test(letter) && this.source.letter(1) === '(') {
        this.source.at += 2;
        this.substitute(this.source.until(')'));
        word += MARK.unknown;
        continue;
      }
      if (/[\s;&|<>()]/.test(letter)) break;
      word += this.readPart(letter);
    }
    return word;
  }

  private readPart(letter: string): string {
    if (letter === '\\') return this.readEscape();
    if (letter === "'") return this.readSingle();
    if (letter === '"') return this.readDouble();
    if (letter === '`') return this.readBackquote();
    if (letter === '$') return this.readDollar(false);
    this.source.at += 1;
    if (letter === '*') return MARK.star;
    if (letter === '?') return MARK.one;
    const set = letter === '[' ? /^[^\]\s]+\]/.exec(this.source.text.slice(this.source.at, this.source.at + 60)) : null;
    // Not a set, but an IPv6 address.
    if (!set || /^[\da-fA-F]*:[\da-fA-F:.]*:[\da-fA-F:.]*\]$/.test(set[0])) return letter;
    this.source.at += set[0].length;
    return MARK.one;
  }

  private readEscape(): string {
    const next = this.source.letter(1);
    this.source.at += 2;
    if (next === undefined) this.source.fail('it ends with a backslash');
    return next === undefined || next === '\n' ? '' : next;
  }

  private readSingle(): string {
    const end = this.source.text.indexOf("'", this.source.at + 1);
    if (end < 0) this.source.fail('a quote is not closed');
    const text = this.source.text.slice(this.source.at + 1, end < 0 ? undefined : end);
    this.source.at = end < 0 ? this.source.text.length : end + 1;
    return text;
  }

  private readDouble(): string {
    let word = '';
    this.source.at += 1;
    while (this.source.at < this.source.text.length) {
      const letter = this.source.letter() as string;
      if (letter === '"') {
        this.source.at += 1;
        return word;
      }
      if (letter === '\\' && /["\\$`\n]/.test(this.source.letter(1) ?? '')) word += this.readEscape();
      else if (letter === '$') word += this.readDollar(true);
      else if (letter === '`') word += this.readBackquote();
      else {
        word += letter;
        this.source.at += 1;
      }
    }
    this.source.fail('a quote is not closed');
    return word;
  }

  private readBackquote(): string {
    this.source.at += 1;
    let inner = '';
    while (this.source.at < this.source.text.length && this.source.letter() !== '`') {
      if (this.source.letter() === '\\') this.source.at += 1;
      inner += this.source.letter() ?? '';
      this.source.at += 1;
    }
    if (this.source.at >= this.source.text.length) this.source.fail('a backquote is not closed');
    this.source.at += 1;
    return this.substitute(inner);
  }

  private readDollar(quoted: boolean): string {
    const rest = this.source.text.slice(this.source.at + 1);
    if (rest.startsWith('((')) {
      this.source.at += 3;
      this.source.until(')');
      if (this.source.letter() === ')') this.source.at += 1;
      return MARK.unknown;
    }
    if (rest.startsWith('(')) {
      this.source.at += 2;
      return this.substitute(this.source.until(')'));
    }
    if (rest.startsWith("'") && !quoted) {
      const { text, length, closed } = readDollarQuote(rest);
      if (!closed) this.source.fail('a quote is not closed');
      this.source.at += 1 + length;
      return text;
    }
    if (rest.startsWith('"') && !quoted) {
      this.source.at += 1;
      return '';
    }
    const name = /^[A-Za-z_]\w*|^\{([A-Za-z_]\w*)\}/.exec(rest);
    if (name) {
      this.source.at += 1 + name[0].length;
      return `${quoted ? MARK.whole : MARK.split}${name[1] ?? name[0]}${MARK.end}`;
    }
    const fallback = /^\{([A-Za-z_]\w*):?[-=]([^}$`"'\\]*)\}/.exec(rest);
    if (fallback) {
      this.source.at += 1 + fallback[0].length;
      return `${quoted ? MARK.whole : MARK.split}${fallback[1]}:-${fallback[2]}${MARK.end}`;
    }
    if (rest.startsWith('{')) {
      this.source.at += 2;
      for (const inner of substitutionsIn(this.source.until('}'))) this.substitute(inner);
      return MARK.unknown;
    }
    const special = /^[@*#?$!\d-]/.exec(rest);
    this.source.at += special ? 2 : 1;
    return special ? MARK.unknown : '$';
  }
}

const SIMPLE: Record<string, string> = { n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', e: '\x1b', f: '\f', v: '\v' };

/** Reads `$'..'` from its first quote on; `length` counts the characters read. */
function readDollarQuote(rest: string): { text: string; length: number; closed: boolean } {
  let text = '';
  for (let at = 1; at < rest.length; at += 1) {
    const letter = rest[at] as string;
    if (letter === "'") return { text, length: at + 1, closed: true };
    if (letter !== '\\') {
      text += letter;
      continue;
    }
    const after = rest.slice(at + 1);
    const code = /^(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3}))/.exec(after);
    if (code) {
      const [whole, x, u, U, octal] = code;
      const point = octal === undefined ? Number.parseInt(x ?? u ?? U ?? '0', 16) : Number.parseInt(octal, 8) % 256;
      text += point <= 0x10ffff ? String.fromCodePoint(point) : '';
      at += whole.length;
    } else {
      text += SIMPLE[after[0] ?? ''] ?? after[0] ?? '';
      at += 1;
    }
  }
  return { text, length: rest.length, closed: false };
}
