export interface Token {
  /** `computed`: a text with embedded expressions, or a regular expression. */
  kind: 'text' | 'computed' | 'number' | 'name' | 'mark';
  /** For texts, the content without quotes; otherwise the source text. */
  text: string;
  line: number;
}

export type CodeLanguage = 'python' | 'javascript';

const BLANK = /\s+/y;
const NAME = /[\p{L}_$][\p{L}\p{N}_$]*/uy;
const NUMBER = /(?:0[xob][\da-f_]+|(?:\d[\d_]*)(?:\.\d*)?(?:e[+-]?\d+)?|\.\d+(?:e[+-]?\d+)?)n?/iy;
const MARK = /=>|\?\.|\.\.\.|\*\*|[=!<>]=+|&&|\|\||\?\?|[^\s]/uy;
const COMMENT = { python: /#[^\n]*/y, javascript: /\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/y };
const QUOTED = {
  python: /([rbuf]{0,2})("""|'''|"|')/iy,
  javascript: /()(["'`])/y,
};
const PATTERN = /\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y;
const ESCAPES: Record<string, string> = { n: '\n', t: '\t', r: '\r', '\n': '' };

/** Splits a program into tokens, without comments. Never fails: any text yields tokens. */
export function tokensOf(code: string, language: CodeLanguage): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  let line = 1;
  const match = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(code);
  };
  const take = (written: string, kind?: Token['kind'], text = written): void => {
    if (kind) tokens.push({ kind, text, line });
    line += written.split('\n').length - 1;
    at += written.length;
  };
  if (code.startsWith('#!')) take(/^[^\n]*/.exec(code)?.[0] ?? '');
  while (at < code.length) {
    const skipped = match(BLANK) ?? match(COMMENT[language]);
    const quoted = skipped ? null : match(QUOTED[language]);
    if (skipped) take(skipped[0]);
    else if (quoted) {
      const { written, text, isComputed } = quotedText(code, at, quoted);
      take(written, isComputed ? 'computed' : 'text', text);
    } else if (language === 'javascript' && beginsPattern(tokens.at(-1)) && match(PATTERN)) {
      take(match(PATTERN)?.[0] ?? '/', 'computed');
    } else {
      const kinds = { name: NAME, number: NUMBER, mark: MARK } as const;
      const kind = (['name', 'number', 'mark'] as const).find((one) => match(kinds[one]));
      take((kind && match(kinds[kind])?.[0]) ?? code.charAt(at), kind ?? 'mark');
    }
  }
  return tokens;
}

function beginsPattern(before: Token | undefined): boolean {
  if (!before) return true;
  if (before.kind === 'name') return ['return', 'case', 'typeof', 'in', 'of'].includes(before.text);
  return before.kind === 'mark' && !/^[)\]}]$/.test(before.text);
}

function quotedText(code: string, at: number, [opening, prefix = '', quote = '']: RegExpExecArray) {
  const isRaw = /r/i.test(prefix);
  let text = '';
  let end = at + opening.length;
  while (end < code.length && !code.startsWith(quote, end)) {
    const char = code.charAt(end);
    if (char === '\n' && quote.length === 1 && quote !== '`') break;
    if (char !== '\\' || isRaw) text += char;
    else {
      end += 1;
      text += ESCAPES[code.charAt(end)] ?? code.charAt(end);
    }
    end += 1;
  }
  const isComputed = quote === '`' ? text.includes('${') : /f/i.test(prefix) && text.includes('{');
  return { written: code.slice(at, Math.min(end + quote.length, code.length)), text, isComputed };
}
