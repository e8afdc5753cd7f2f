import { MARK, withoutMarks } from './marks.js';
import { outputOf, substitutionsIn } from './output-of.js';
import { WordReader } from './read-word.js';
import type { ShellCommand, ShellItem, ShellRedirect, ShellScript } from './shell-script.js';
import { ShellText } from './shell-text.js';

/** People do not nest commands deeper. */
const DEEPEST = 30;
/** Words that only begin or end a construct where a command may stand. */
const KEYWORDS = new Set('if then else elif fi do done while until { } ! time esac coproc'.split(' '));
const OPERATORS = ['&&', '||', ';;&', ';;', ';&', '|&', ';', '&', '|', '\n'];
const REDIRECTS = ['&>>', '&>', '<<<', '<<-', '<<', '<>', '<&', '>>', '>&', '>|', '<', '>'];

/**
 * Splits a text like a POSIX shell or bash. Commands in `$(..)`, backquotes and `<(..)` come before the one they
 * belong to; what only the shell knows becomes a mark. Aliases, functions and arithmetic are not followed.
 */
export function readShell(text: string, depth = 0): ShellScript {
  if (depth > DEEPEST) return { items: [], fault: 'it is nested too deeply' };
  const reader = new ShellReader(withoutMarks(text), depth);
  return reader.read();
}

class ShellReader {
  private readonly source: ShellText;
  private readonly word: WordReader;
  private readonly items: ShellItem[] = [];
  private readonly pending: { redirect: ShellRedirect; end: string; strips: boolean; literal: boolean }[] = [];
  private pipeline = 0;
  private current: ShellCommand;

  constructor(
    text: string,
    private readonly depth: number,
  ) {
    this.source = new ShellText(text);
    this.word = new WordReader(this.source, (inner) => this.substitute(inner));
    this.current = this.begin();
  }

  read(): ShellScript {
    while (this.source.at < this.source.text.length) this.step();
    this.finish();
    if (this.pending.length > 0) this.source.fail('a here-document has no end');
    const { fault } = this.source;
    return { items: this.items, ...(fault !== undefined && { fault }) };
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
    const letter = this.source.letter() as string;
    if (letter === ' ' || letter === '\t' || letter === '\r') this.source.at += 1;
    else if (letter === '\\' && this.source.letter(1) === '\n') this.source.at += 2;
    else if (letter === '#') this.skipComment();
    else if (letter === '(' || letter === ')') this.parenthesis(letter);
    else if (!this.takeRedirect() && !this.takeOperator()) this.takeWord();
  }

  private skipComment(): void {
    const end = this.source.text.indexOf('\n', this.source.at);
    this.source.at = end < 0 ? this.source.text.length : end;
  }

  private parenthesis(letter: string): void {
    this.source.at += 1;
    this.finish();
    this.items.push({ kind: letter === '(' ? 'open' : 'close' });
    this.current = this.begin();
  }

  private takeOperator(): boolean {
    const operator = OPERATORS.find((known) => this.source.text.startsWith(known, this.source.at));
    if (operator === undefined) return false;
    this.source.at += operator.length;
    this.finish();
    if (operator === '\n') this.takeHereDocuments();
    if (operator !== '|' && operator !== '|&') this.pipeline += 1;
    this.current = this.begin();
    return true;
  }

  private takeRedirect(): boolean {
    const number =
      /^\d+(?=[<>])|^\{\w+\}(?=[<>])/.exec(this.source.text.slice(this.source.at, this.source.at + 40))?.[0] ?? '';
    const start = this.source.at + number.length;
    if (/^[<>]\(/.test(this.source.text.slice(start, start + 2))) return false;
    const operator = REDIRECTS.find((known) => this.source.text.startsWith(known, start));
    if (operator === undefined) return false;
    this.source.at = start + operator.length;
    while (/[ \t]/.test(this.source.letter() ?? '')) this.source.at += 1;
    const from = this.source.at;
    const target = this.word.read();
    const raw = this.source.text.slice(from, this.source.at);
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
        if (this.source.at >= this.source.text.length) {
          this.source.fail('a here-document has no end');
          break;
        }
        const stop = this.source.text.indexOf('\n', this.source.at);
        const line = this.source.text.slice(this.source.at, stop < 0 ? undefined : stop);
        this.source.at = stop < 0 ? this.source.text.length : stop + 1;
        const bare = strips ? line.replace(/^\t+/, '') : line;
        if (bare === end) break;
        lines.push(bare);
      }
      const body = lines.join('\n');
      redirect.target = body;
      // Commands in it run, unless its delimiter was quoted.
      if (!literal) for (const inner of substitutionsIn(body)) this.substitute(inner);
    }
  }

  private takeWord(): void {
    const from = this.source.at;
    const word = this.word.read();
    if (this.source.at === from) {
      // Skips a character that no rule takes, so that reading continues.
      this.source.at += 1;
      return;
    }
    const raw = this.source.text.slice(from, this.source.at);
    const { words, assignments } = this.current;
    if (words.length === 0) {
      if (KEYWORDS.has(raw)) return;
      const assignment = /^([A-Za-z_]\w*)(?:\[[^\]]*\])?\+?=/.exec(raw);
      if (assignment?.[1] !== undefined) {
        assignments.push({ name: assignment[1], value: word.slice(assignment[0].length) });
        return;
      }
    }
    // Only an unquoted brace is expanded.
    words.push(...(raw.includes('{') && !/['"\\]/.test(raw) ? expandBraces(word) : [word]));
  }

  /** Adds the commands of a substitution to ours. @returns its output as far as it is known. */
  private substitute(inner: string): string {
    const { items, fault } = readShell(inner, this.depth + 1);
    if (fault !== undefined) this.source.fail(fault);
    const commands = items.filter((item) => item.kind === 'command');
    const [only] = commands;
    this.items.push({ kind: 'open' });
    // Keeps its pipes apart from the outer ones.
    const first = 1_000_000 * (this.items.length + 1);
    for (const item of items) {
      if (item.kind !== 'command') this.items.push(item);
      else this.items.push({ ...item, pipeline: item.pipeline + first, substituted: true });
    }
    this.items.push({ kind: 'close' });
    return (commands.length === 1 && only && outputOf(only)) || MARK.unknown;
  }
}

/** The maximum number of expansions that are read one by one. */
const MAX = 64;

/** The words of `a{b,c}`; a range such as `{1..3}` is unknown. */
function expandBraces(word: string): string[] {
  const braces = /\{([^{}]*(?:,|\.\.)[^{}]*)\}/.exec(word);
  if (!braces) return [word];
  const [whole, inner = ''] = braces;
  const [before, after] = [word.slice(0, braces.index), word.slice(braces.index + whole.length)];
  if (!inner.includes(',')) return expandBraces(`${before}${MARK.unknown}${after}`);
  const words = inner.split(',').flatMap((part) => expandBraces(`${before}${part}${after}`));
  return words.length > MAX ? [`${before}${MARK.unknown}`] : words;
}
