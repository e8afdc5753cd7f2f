import {
  type Assignment,
  type Command,
  forEachChild,
  type HereDoc,
  type ParsedScript,
  parse,
  type Redirection,
  type SyntaxNode,
  type Word,
  type WordPart,
} from 'unbash';
import { MARK, PIPE } from './marks.js';
import type { ShellCommand, ShellItem, ShellRedirect, ShellScript } from './shell-script.js';

/** People do not nest commands deeper. */
const DEEPEST = 30;
/** The maximum number of words that braces expand to, read one by one. */
const MAX = 64;

/**
 * What bash would run, in order. Commands in `$(..)`, backquotes and `<(..)` come before the one they belong to; what
 * only the shell knows becomes a mark. The bodies of functions count as run where they are defined.
 */
export function readShell(text: string): ShellScript {
  const reader = new ScriptReader();
  reader.script(parse(text), { isSubstituted: false, redirects: [] });
  return { items: reader.items, ...(reader.fault !== undefined && { fault: reader.fault }) };
}

/** The constructs around a command. */
interface Within {
  isSubstituted: boolean;
  /** The pipe that a construct is a part of: what is inside reads and writes it. */
  pipeline?: number;
  redirects: readonly ShellRedirect[];
}

class ScriptReader {
  readonly items: ShellItem[] = [];
  fault: string | undefined;
  private pipelines = 0;
  private depth = 0;

  script(script: ParsedScript, within: Within): void {
    this.fault ??= script.errors?.[0]?.message;
    this.visit(script, within);
  }

  private visit(node: SyntaxNode, within: Within): void {
    if (node.type === 'Word') this.wordsOf(node);
    else if (node.type === 'Command') this.command(node, within);
    else if (node.type === 'ArithmeticCommandExpansion') this.substitute(node.script);
    else if (node.type === 'Redirected') {
      const redirects = [...within.redirects, ...this.redirects(node.redirects)];
      this.visit(node.command, { ...within, redirects });
    } else if (node.type === 'For' || node.type === 'Select') {
      const list = node.wordlist?.flatMap((word) => this.wordsOf(word)) ?? [MARK.unknown];
      this.add({ words: ['for', node.name.value, 'in', ...list] }, within);
      this.visit(node.body, within);
    } else if (node.type === 'Subshell') {
      this.items.push({ kind: 'open' });
      this.visit(node.body, within);
      this.items.push({ kind: 'close' });
    } else if (node.type === 'Pipeline' && node.commands.length > 1) {
      const pipeline = within.pipeline ?? ++this.pipelines;
      for (const command of node.commands) this.visit(command, { ...within, pipeline });
    } else forEachChild(node, (child) => this.visit(child, within));
  }

  private command({ name, prefix, suffix, redirects }: Command, within: Within): void {
    const assignments = prefix.filter((part) => part.type === 'Assignment').map((each) => this.assignment(each));
    const words = [
      ...(name ? this.wordsOf(name) : []),
      ...suffix.flatMap((part) => {
        if (part.type === 'Word') return this.wordsOf(part);
        if (part.type !== 'Assignment') return [];
        const { name: variable, value } = this.assignment(part);
        return [`${variable}=${value}`];
      }),
    ];
    this.add({ words, assignments, redirects: [...this.redirects(redirects), ...within.redirects] }, within);
  }

  private add(command: Partial<ShellCommand>, { isSubstituted, pipeline = ++this.pipelines }: Within): void {
    const none = { words: [], assignments: [], redirects: [] };
    this.items.push({ kind: 'command', ...none, ...command, pipeline, substituted: isSubstituted });
  }

  /** An array is its elements, with blanks between them. */
  private assignment({ name, value, append }: Assignment): { name: string; value: string } {
    const words = value.type === 'ArrayValue' ? value.elements : [value];
    const text = words.flatMap((word) => this.wordsOf(word)).join(' ');
    return { name, value: append ? `${MARK.whole}${name}:-${MARK.end}${text}` : text };
  }

  private redirects(redirects: readonly Redirection[]): ShellRedirect[] {
    return redirects.flatMap((redirect) => {
      if (redirect.type === 'HereDoc') return [{ operator: '<<', target: this.document(redirect) }];
      const { operator, target } = redirect;
      return target ? this.wordsOf(target).map((text) => ({ operator, target: text })) : [];
    });
  }

  private document({ body, delimiter, closing, operator }: HereDoc): string {
    if (!closing) this.fault ??= 'a here-document has no end';
    // Commands in it run, unless its delimiter was quoted.
    const parts = delimiter?.quoted ? undefined : body.parts;
    const text = parts ? parts.map((part) => this.part(part, true)[0]).join('') : body.text;
    return (operator === '<<-' ? text.replace(/^\t+/gm, '') : text).replace(/\n$/, '');
  }

  /** The words that a word becomes: one, or several by its braces. */
  private wordsOf({ parts, value }: Word): string[] {
    let words = parts ? [''] : [value];
    for (const part of parts ?? []) {
      const each = this.part(part, false);
      words = words.flatMap((word) => each.map((text) => `${word}${text}`));
      if (words.length > MAX) words = [MARK.unknown];
    }
    return words;
  }

  /** What a part of a word becomes: one text, or one for each alternative in braces. */
  private part(part: WordPart, quoted: boolean): string[] {
    const variable = quoted ? MARK.whole : MARK.split;
    switch (part.type) {
      case 'DoubleQuoted':
      case 'LocaleString':
        return [part.parts.map((each) => this.part(each, true)[0]).join('')];
      case 'Glob':
        if (part.kind === 'star') return [MARK.star];
        // Not a set, but an IPv6 address.
        return /^\[[\da-fA-F]*:[\da-fA-F:.]*:[\da-fA-F:.]*\]$/.test(part.text) ? [part.text] : [MARK.one];
      case 'ExtendedGlob':
        return [MARK.star];
      case 'BraceExpansion':
        return this.braces(part.text);
      case 'SimpleExpansion': {
        const name = part.text.slice(1);
        if (/^\w+$/.test(name)) return [`${variable}${name}${MARK.end}`];
        return [/^[#?$!]$/.test(name) ? MARK.number : MARK.unset];
      }
      case 'ParameterExpansion': {
        const { parameter: name, prefix, operation } = part;
        const operand = operation?.type === 'Default' ? (this.wordsOf(operation.operand)[0] ?? '') : undefined;
        if (operand === undefined && operation) forEachChild(part, (child) => this.visit(child, APART));
        if (prefix === '#') return [MARK.number];
        if (part.index && !/^[@*]$/.test(part.index.value)) return [MARK.unknown];
        if (/^[@*]$/.test(name)) return [MARK.unset];
        if (prefix === '!' || !/^\w+$/.test(name) || (operation && operand === undefined)) return [MARK.unknown];
        if (operation?.operator.endsWith('+')) return [operand ?? ''];
        return [`${variable}${name}${operand === undefined ? '' : `:-${operand}`}${MARK.end}`];
      }
      case 'CommandExpansion':
        return [this.substitute(part.script)];
      case 'ProcessSubstitution':
        this.substitute(part.script);
        return [PIPE];
      case 'ArithmeticExpansion':
        if (part.expression) this.visit(part.expression, APART);
        return [MARK.number];
      default:
        return [part.value];
    }
  }

  /** The alternatives of `{a,b}`; a range such as `{1..3}` is unknown. */
  private braces(text: string): string[] {
    const [first, ...others] = splitBraces(text);
    if (first === undefined || others.length === 0) return [MARK.unknown];
    return [first, ...others].flatMap((each) => {
      const [statement] = parse(`: ${each}`).commands;
      const word = statement?.command.type === 'Command' ? statement.command.args[0] : undefined;
      return word?.type === 'Word' ? this.wordsOf(word) : [each];
    });
  }

  /** Adds the commands of a substitution to ours. @returns its output as far as it is known. */
  private substitute(script: ParsedScript | undefined): string {
    if (!script || this.depth > DEEPEST) {
      this.fault ??= 'it is nested too deeply';
      return MARK.unknown;
    }
    this.items.push({ kind: 'open' });
    const from = this.items.length;
    this.depth += 1;
    this.script(script, APART);
    this.depth -= 1;
    const [only, ...others] = this.items.slice(from).filter((item) => item.kind === 'command');
    this.items.push({ kind: 'close' });
    return (only && others.length === 0 && outputOf(only)) || MARK.unknown;
  }
}

const APART: Within = { isSubstituted: true, redirects: [] };

function splitBraces(text: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const letter of text.slice(1, -1)) {
    if (letter === '{') depth += 1;
    if (letter === '}') depth -= 1;
    if (letter === ',' && depth === 0) parts.push('');
    else parts.push(`${parts.pop()}${letter}`);
  }
  return parts;
}

/** The output of the simplest commands; undefined if only the shell knows it. */
function outputOf({ words, redirects }: ShellCommand): string | undefined {
  const [program, ...rest] = words;
  const [document, ...others] = redirects;
  if (words.length === 1 && program === 'cat' && document?.operator === '<<' && others.length === 0)
    return document.target;
  if (redirects.length > 0) return undefined;
  if (/^mktemp( -[dqu]+)*$/.test(words.join(' '))) return '/tmp/tmp.XXXXXXXXXX';
  if (program === 'pwd') return `${MARK.whole}PWD${MARK.end}`;
  if (words.join(' ') === 'git rev-parse --show-toplevel') return `${MARK.whole}PROJECT_ROOT${MARK.end}`;
  if (program === 'echo' && !rest[0]?.startsWith('-')) return rest.join(' ');
  if (program === 'printf' && rest.length === 1 && !/[%\\]/.test(rest[0] ?? '')) return rest[0];
  return program === 'printf' && rest[0] === '%s' ? rest.slice(1).join('') : undefined;
}
