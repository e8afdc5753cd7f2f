import { expandBraces } from './expand-braces.js';
import { MARK, withoutMarks } from './marks.js';
import { outputOf, substitutionsIn } from './output-of.js';
import { readDollarQuote } from './read-dollar-quote.js';
import type { ShellCommand, ShellItem, ShellRedirect, ShellScript } from './shell-script.js';

/** Deeper than this nobody writes by hand. */
const DEEPEST = 30;
/** Words that only begin or end something at the place of a command. */
const KEYWORDS = new Set('if then else elif fi do done while until { } ! time esac coproc'.split(' '));
const OPERATORS = ['&&', '||', ';;&', ';;', ';&', '|&', ';', '&', '|', '\n'];
const REDIRECTS = ['&>>', '&>', '<<<', '<<-', '<<', '<>', '<&', '>>', '>&', '>|', '<', '>'];

/**
 * Reads a text as a POSIX shell or bash would split it, without running anything.
 *
 * Quotes, escapes, here-documents, pipes, lists, subshells, groups and the words of loops are read; commands within
 * `$(..)`, backquotes and `<(..)` are among the items, before the command they are a part of. What only the shell knows is
 * a mark in the text of its word. Aliases, functions and arithmetic are not followed.
 */
export function readShell(text: string, depth = 0): ShellScript {
  if (depth > DEEPEST) return { items: [], fault: 'it is nested too deeply' };
  const reader = new ShellReader(withoutMarks(text), depth);
  return reader.read();
}

class ShellReader {
  private at = 0;
  private readonly items: ShellItem[] = [];
  private readonly pending: { redirect: ShellRedirect; end: string; strips: boolean; literal: boolean }[] = [];
  private fault: string | undefined;
  private pipeline = 0;
  private current: ShellCommand;

  constructor(
    private readonly text: string,
    private readonly depth: number,
  ) {
    this.current = this.begin();
  }

  read(): ShellScript {
    while (this.at < this.text.length) this.step();
    this.finish();
    if (this.pending.length > 0) this.fault ??= 'a here-document has no end';
    return { items: this.items, ...(this.fault !== undefined && { fault: this.fault }) };
  }

  private begin(): ShellCommand {
    const { pipeline } = this;
    return { kind: 'command', words: [], assignments: [], redirects: [], pipeline, substituted: false };
  }

  private finish(): void {
    const { words, assignments, redirects } = this.current;
    if (words.length + assignments.length + redirects.length > 0) this.items.push(this.current);
    this.current = this.begin();
  }

  private step(): void {
    const letter = this.text[this.at] as string;
    if (letter === ' ' || letter === '\t' || letter === '\r') this.at += 1;
    else if (letter === '\\' && this.text[this.at + 1] === '\n') this.at += 2;
    else if (letter === '#') this.skipComment();
    else if (letter === '(' || letter === ')') this.parenthesis(letter);
    else if (!this.takeRedirect() && !this.takeOperator()) this.takeWord();
  }

  private skipComment(): void {
    const end = this.text.indexOf('\n', this.at);
    this.at = end < 0 ? this.text.length : end;
  }

  private parenthesis(letter: string): void {
    this.at += 1;
    this.finish();
    this.items.push({ kind: letter === '(' ? 'open' : 'close' });
    this.current = this.begin();
  }

  private takeOperator(): boolean {
    const operator = OPERATORS.find((known) => this.text.startsWith(known, this.at));
    if (operator === undefined) return false;
    this.at += operator.length;
    this.finish();
    if (operator === '\n') this.takeHereDocuments();
    if (operator !== '|' && operator !== '|&') this.pipeline += 1;
    this.current = this.begin();
    return true;
  }

  private takeRedirect(): boolean {
    const number = /^\d+(?=[<>])|^\{\w+\}(?=[<>])/.exec(this.text.slice(this.at, this.at + 40))?.[0] ?? '';
    const start = this.at + number.length;
    if (/^[<>]\(/.test(this.text.slice(start, start + 2))) return false;
    const operator = REDIRECTS.find((known) => this.text.startsWith(known, start));
    if (operator === undefined) return false;
    this.at = start + operator.length;
    while (/[ \t]/.test(this.text[this.at] ?? '')) this.at += 1;
    const from = this.at;
    const target = this.readWord();
    const raw = this.text.slice(from, this.at);
    const redirect = { operator: operator === '<<-' ? '<<' : operator, target };
    this.current.redirects.push(redirect);
    if (redirect.operator === '<<') {
      redirect.target = '';
      this.pending.push({ redirect, end: target, strips: operator === '<<-', literal: /['"\\]/.test(raw) });
    }
    return true;
  }

  private takeHereDocuments(): void {
    for (const { redirect, end, strips, literal } of this.pending.splice(0)) {
      const lines: string[] = [];
      for (;;) {
        if (this.at >= this.text.length) {
          this.fault ??= 'a here-document has no end';
          break;
        }
        const stop = this.text.indexOf('\n', this.at);
        const line = this.text.slice(this.at, stop < 0 ? undefined : stop);
        this.at = stop < 0 ? this.text.length : stop + 1;
        const bare = strips ? line.replace(/^\t+/, '') : line;
        if (bare === end) break;
        lines.push(bare);
      }
      const body = lines.join('\n');
      redirect.target = body;
      // What stands in it as a command is run, unless its end was quoted.
      if (!literal) for (const inner of substitutionsIn(body)) this.substitute(inner);
    }
  }

  private takeWord(): void {
    const from = this.at;
    const word = this.readWord();
    if (this.at === from) {
      // Nothing else begins here; a letter that no rule takes must not stop the reading.
      this.at += 1;
      return;
    }
    const raw = this.text.slice(from, this.at);
    const { words, assignments } = this.current;
    if (words.length === 0) {
      if (KEYWORDS.has(raw)) return;
      const assignment = /^([A-Za-z_]\w*)(?:\[[^\]]*\])?\+?=/.exec(raw);
      if (assignment?.[1] !== undefined) {
        assignments.push({ name: assignment[1], value: word.slice(assignment[0].length) });
        return;
      }
    }
    // Quotes around a brace keep it; only a bare one is expanded.
    words.push(...(raw.includes('{') && !/['"\\]/.test(raw) ? expandBraces(word) : [word]));
  }

  /** One word, with what is not known in it as marks. */
  private readWord(): string {
    let word = '';
    while (this.at < this.text.length) {
      const letter = this.text[this.at] as string;
      if (/[<>]/.test(letter) && this.text[this.at + 1] === '(') {
        this.at += 2;
        this.substitute(this.until(')'));
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
    this.at += 1;
    if (letter === '*') return MARK.star;
    if (letter === '?') return MARK.one;
    const set = letter === '[' ? /^[^\]\s]+\]/.exec(this.text.slice(this.at, this.at + 60)) : null;
    // No set, but an address of IPv6.
    if (!set || /^[\da-fA-F]*:[\da-fA-F:.]*:[\da-fA-F:.]*\]$/.test(set[0])) return letter;
    this.at += set[0].length;
    return MARK.one;
  }

  private readEscape(): string {
    const next = this.text[this.at + 1];
    this.at += 2;
    if (next === undefined) this.fault ??= 'it ends with a backslash';
    return next === undefined || next === '\n' ? '' : next;
  }

  private readSingle(): string {
    const end = this.text.indexOf("'", this.at + 1);
    if (end < 0) this.fault ??= 'a quote is not closed';
    const text = this.text.slice(this.at + 1, end < 0 ? undefined : end);
    this.at = end < 0 ? this.text.length : end + 1;
    return text;
  }

  private readDouble(): string {
    let word = '';
    this.at += 1;
    while (this.at < this.text.length) {
      const letter = this.text[this.at] as string;
      if (letter === '"') {
        this.at += 1;
        return word;
      }
      if (letter === '\\' && /["\\$`\n]/.test(this.text[this.at + 1] ?? '')) word += this.readEscape();
      else if (letter === '$') word += this.readDollar(true);
      else if (letter === '`') word += this.readBackquote();
      else {
        word += letter;
        this.at += 1;
      }
    }
    this.fault ??= 'a quote is not closed';
    return word;
  }

  private readBackquote(): string {
    this.at += 1;
    let inner = '';
    while (this.at < this.text.length && this.text[this.at] !== '`') {
      if (this.text[this.at] === '\\') this.at += 1;
      inner += this.text[this.at] ?? '';
      this.at += 1;
    }
    if (this.at >= this.text.length) this.fault ??= 'a backquote is not closed';
    this.at += 1;
    return this.substitute(inner);
  }

  private readDollar(quoted: boolean): string {
    const rest = this.text.slice(this.at + 1);
    if (rest.startsWith('((')) {
      this.at += 3;
      this.until(')');
      if (this.text[this.at] === ')') this.at += 1;
      return MARK.unknown;
    }
    if (rest.startsWith('(')) {
      this.at += 2;
      return this.substitute(this.until(')'));
    }
    if (rest.startsWith("'") && !quoted) {
      const { text, length, closed } = readDollarQuote(rest);
      if (!closed) this.fault ??= 'a quote is not closed';
      this.at += 1 + length;
      return text;
    }
    if (rest.startsWith('"') && !quoted) {
      this.at += 1;
      return '';
    }
    const name = /^[A-Za-z_]\w*|^\{([A-Za-z_]\w*)\}/.exec(rest);
    if (name) {
      this.at += 1 + name[0].length;
      return `${quoted ? MARK.whole : MARK.split}${name[1] ?? name[0]}${MARK.end}`;
    }
    if (rest.startsWith('{')) {
      this.at += 2;
      for (const inner of substitutionsIn(this.until('}'))) this.substitute(inner);
      return MARK.unknown;
    }
    const special = /^[@*#?$!\d-]/.exec(rest);
    this.at += special ? 2 : 1;
    return special ? MARK.unknown : '$';
  }

  /** What stands before the letter that closes, with all that is nested in it; goes behind it. */
  private until(close: string): string {
    const open = close === ')' ? '(' : '{';
    const from = this.at;
    for (let depth = 1; this.at < this.text.length; this.at += 1) {
      const letter = this.text[this.at] as string;
      if (letter === '\\') this.at += 1;
      else if (letter === "'" || letter === '"') this.skipQuoted(letter);
      else if (letter === open) depth += 1;
      else if (letter === close && --depth === 0) {
        this.at += 1;
        return this.text.slice(from, this.at - 1);
      }
    }
    this.fault ??= 'a bracket is not closed';
    return this.text.slice(from);
  }

  private skipQuoted(quote: string): void {
    for (this.at += 1; this.at < this.text.length && this.text[this.at] !== quote; this.at += 1) {
      if (quote === '"' && this.text[this.at] === '\\') this.at += 1;
    }
  }

  /** Takes the commands of a substitution among ours. @returns its output as far as it is known. */
  private substitute(inner: string): string {
    const { items, fault } = readShell(inner, this.depth + 1);
    if (fault !== undefined) this.fault ??= fault;
    const commands = items.filter((item) => item.kind === 'command');
    const [only] = commands;
    this.items.push({ kind: 'open' });
    for (const item of items) {
      if (item.kind !== 'command') this.items.push(item);
      else
        this.items.push({ ...item, pipeline: item.pipeline + 1_000_000 * (this.items.length + 1), substituted: true });
    }
    this.items.push({ kind: 'close' });
    return (commands.length === 1 && only && outputOf(only)) || MARK.unknown;
  }
}
