import { homedir } from 'node:os';
import { MARK, wordsOf } from './shell/marks.js';

const MAX = 64;
const VARIABLE = /[\uE003\uE004]([^\uE005]*)\uE005/;

export class ShellNames {
  private readonly values = new Map<string, string>();
  private readonly lists = new Map<string, readonly string[]>();
  private readonly aliases = new Map<string, string>();

  constructor(
    private readonly env: NodeJS.ProcessEnv,
    private readonly root: string,
    private readonly folder: () => string | undefined,
  ) {}

  set(name: string, value: string): void {
    this.lists.delete(name);
    this.values.set(name, value);
  }

  setOneOf(name: string, values: readonly string[]): void {
    this.lists.set(name, values.length > MAX ? [MARK.unknown] : values);
  }

  copyTo(other: ShellNames): void {
    for (const [name, value] of this.values) other.values.set(name, value);
    for (const [name, values] of this.lists) other.lists.set(name, values);
  }

  /** The value of a variable; for `NAME:-default` the default, if the name is not set. */
  readonly valueOf = (reference: string): string | undefined => {
    const [, name = reference, fallback] = /^(\w+):?[-=]([\s\S]*)$/.exec(reference) ?? [];
    if (name === 'PWD') return this.folder();
    if (name === 'IFS') return this.values.get(name) ?? ' ';
    if (name === 'PROJECT_ROOT') return this.root;
    return this.values.get(name) ?? this.env[name] ?? fallback;
  };

  /** The words that a word expands to; with a loop variable, one for each of its values. */
  put(text: string): string[] {
    return this.eachOf(text).flatMap((one) =>
      wordsOf(one, this.valueOf).map((word) => word.replace(/^~(?=\/|$)/, this.env.HOME ?? homedir())),
    );
  }

  private eachOf(text: string): string[] {
    const found = [...text.matchAll(new RegExp(VARIABLE, 'g'))].find(([, name]) => this.lists.has(name ?? ''));
    if (!found) return [text];
    const values = this.lists.get(found[1] ?? '') ?? [];
    const each = values.flatMap((value) => this.eachOf(text.replaceAll(found[0], () => value)));
    return each.length > MAX ? [text.replaceAll(found[0], MARK.unknown)] : each;
  }

  unaliased(words: readonly string[]): string[] {
    const [first = '', ...rest] = words;
    const alias = this.aliases.get(first);
    return alias === undefined ? [...words] : [...alias.split(/\s+/), ...rest];
  }

  remember(words: readonly string[]): void {
    const [program = '', ...rest] = words;
    if (program === 'printf' && rest[0] === '-v') this.set(rest[1] ?? '', rest.slice(3).join(''));
    if (program === 'set') this.setArguments(rest);
    if (!/^(alias|export|declare|local|typeset|readonly|env)$/.test(program)) return;
    for (const word of rest) {
      const [, name, value] = /^([\w-]+)=([\s\S]*)$/.exec(word) ?? [];
      if (name === undefined) continue;
      if (program === 'alias') this.aliases.set(name, value ?? '');
      else this.set(name, value ?? '');
    }
  }

  private setArguments(words: readonly string[]): void {
    const given = words.slice(words.indexOf('--') + 1);
    for (const [index, word] of given.entries()) this.set(String(index + 1), word);
  }
}
