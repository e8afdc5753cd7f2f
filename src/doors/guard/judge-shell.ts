import { homedir } from 'node:os';
import { resolve } from 'node:path';
import { isKnown, patternOf, withVariables, wordsOf } from '../../rules/shell/marks.js';
import { readShell } from '../../rules/shell/read-shell.js';
import type { ShellCommand, ShellItem } from '../../rules/shell/shell-script.js';
import type { Finding } from './finding.js';
import { findDecision, findDecisionInText } from './own-commands.js';
import type { Places } from './places.js';
import { isReader, programOf, runsCode, runsShell, writtenBy } from './programs.js';
import type { RegisteredEndpoints } from './registered-endpoints.js';
import type { Bases, RegisteredScripts } from './registered-scripts.js';

/** What words of a shell are compared with. */
export interface Registered {
  places: Places;
  scripts: RegisteredScripts;
  endpoints: RegisteredEndpoints;
  env: NodeJS.ProcessEnv;
}

const DEEPEST = 8;
const TO_NOWHERE = /^(\/dev\/(null|stdout|stderr|tty)|&?\d|-)$/;

/** What in a text that a shell would run goes round the runtime. Source: answers, 55; R-002-57, R-002-58. */
export function judgeShell(text: string, cwd: string, registered: Registered): Finding[] {
  return new ShellJudge(registered, [cwd]).judge(text);
}

class ShellJudge {
  readonly findings: Finding[] = [];
  private readonly variables = new Map<string, string>();
  private readonly aliases = new Map<string, string>();
  private isLost = false;

  constructor(
    private readonly registered: Registered,
    /** Where the shell has been, the newest place first. */
    private folders: string[],
    private readonly depth = 0,
  ) {}

  judge(text: string): Finding[] {
    const { items, fault } = readShell(text);
    // What cannot be read to its end may do anything with what it names.
    if (fault !== undefined || this.depth > DEEPEST) this.strict(text);
    const kept: string[][] = [];
    for (const item of items) {
      if (item.kind === 'open') kept.push(this.folders);
      else if (item.kind === 'close') this.folders = kept.pop() ?? this.folders;
      else this.command(item, items);
    }
    return this.findings;
  }

  private get bases(): Bases {
    return { folders: this.folders, isLost: this.isLost };
  }

  private readonly valueOf = (name: string): string | undefined => {
    if (name === 'PWD') return this.folders[0];
    if (name === 'PROJECT_ROOT') return this.registered.places.root;
    return this.variables.get(name) ?? this.registered.env[name];
  };

  private put(text: string): string[] {
    return wordsOf(text, this.valueOf).map((word) => word.replace(/^~(?=\/|$)/, this.registered.env.HOME ?? homedir()));
  }

  private command(command: ShellCommand, items: readonly ShellItem[]): void {
    for (const { name, value } of command.assignments) {
      const text = withVariables(value, this.valueOf);
      this.words([text], command, false);
      this.variables.set(name, text);
    }
    const words = this.unaliased(command.words.flatMap((word) => this.put(word)));
    const targets = command.redirects.map(({ operator, target }) => ({
      operator,
      target: operator === '<<' ? target : (this.put(target)[0] ?? ''),
    }));
    for (const { operator, target } of targets) this.redirect(operator, target, words, command);
    if (words.length === 0) return;
    this.remember(words);
    const shows = this.onlyShows(command, words, targets, items);
    this.words(words, command, shows);
    for (const { path, whole } of writtenBy(words)) this.write(path, whole);
    if (shows) return;
    this.inner(words, items, command);
    this.move(words);
  }

  private unaliased(words: string[]): string[] {
    const [first = '', ...rest] = words;
    const alias = this.aliases.get(first);
    return alias === undefined ? words : [...alias.split(/\s+/), ...rest];
  }

  /** What a later command may use: aliases, and variables that were exported. */
  private remember(words: readonly string[]): void {
    const kept = words[0] === 'alias' ? this.aliases : this.variables;
    if (!/^(alias|export|declare|local|typeset|readonly|env)$/.test(words[0] ?? '')) return;
    for (const word of words.slice(1)) {
      const [, name, value] = /^([\w-]+)=([\s\S]*)$/.exec(word) ?? [];
      if (name !== undefined) kept.set(name, value ?? '');
    }
  }

  /** A command that shows what it names, to who asked and to no other program. */
  private onlyShows(
    { pipeline, substituted, assignments }: ShellCommand,
    words: readonly string[],
    targets: readonly { operator: string; target: string }[],
    items: readonly ShellItem[],
  ): boolean {
    if (substituted || assignments.length > 0 || !isReader(words)) return false;
    if (targets.some(({ operator, target }) => operator.includes('>') && !TO_NOWHERE.test(target))) return false;
    return items.every((item) => item.kind !== 'command' || item.pipeline !== pipeline || isReader(item.words));
  }

  private words(words: readonly string[], { substituted }: ShellCommand, shows: boolean): void {
    const { scripts, endpoints } = this.registered;
    const program = programOf(words[0] ?? '');
    const keys = words.map((word) => findDecisionInText(word)).find((found) => found?.what.startsWith('.system'));
    this.found(keys);
    if (shows && !substituted && program !== 'ability') return;
    this.found(findDecision(words, this.folders));
    if (program === 'ability') return;
    const searches = words.some((word) => /^(find|fd|fdfind|xargs|locate)$/.test(programOf(word)));
    const extra = words.filter((_, at) => /^(-C|--chdir|--directory|--prefix|--cwd)$/.test(words[at - 1] ?? ''));
    const folders = [...this.folders, ...extra.map((folder) => resolve(this.folders[0] ?? '/', folder))];
    for (const word of words) {
      this.found(scripts.find(word, { folders, isLost: this.isLost }));
      if (searches) this.found(scripts.findName(word));
      this.found(endpoints.find(word, program));
      this.found(findDecisionInText(word));
      if (runsCode(words) && /\s|\(/.test(word)) this.code(word);
    }
  }

  /** Code that names a protected place may write to it. */
  private code(text: string): void {
    const { registry, hooks } = this.registered.places.index;
    for (const [path] of text.matchAll(/[\w./~-]*[\w~-]/g)) {
      const isPlace = [registry, hooks, '.system', 'ability.yaml'].some((place) => path.includes(place));
      if (isPlace) this.write(path, true);
    }
  }

  private redirect(operator: string, target: string, words: readonly string[], command: ShellCommand): void {
    if (operator === '<<' || operator === '<<<') {
      if (runsShell(words)) this.nested(target);
      else this.words([...words.slice(0, 1), target], command, isReader(words));
      return;
    }
    if (operator.includes('>') && !TO_NOWHERE.test(target)) this.write(target, false);
    if (operator.startsWith('<')) this.words([...words.slice(0, 1), target], command, isReader(words));
  }

  private write(path: string, whole: boolean): void {
    const { places } = this.registered;
    if (isKnown(path)) {
      for (const folder of this.folders) this.found(places.refuse(resolve(folder, path), whole));
      if (this.isLost) for (const file of this.filesNamed(path)) this.found(places.refuse(resolve(places.root, file)));
      return;
    }
    const begin = path.slice(0, path.search(/[\uE000-\uE005]/));
    if (begin.includes('/')) {
      const place = resolve(this.folders[0] ?? '/', `${begin}x`);
      this.found(places.refuse(place));
    }
    if (path.replace(/[^\w]/g, '').length < 3 && !/[\uE001\uE002]/.test(path)) return;
    const pattern = patternOf(path);
    const { files, registry, hooks } = places.index;
    for (const file of ['ability.yaml', '.system', registry, hooks, ...files]) {
      const absolute = resolve(places.root, file);
      const ways = this.folders.map((folder) =>
        absolute.startsWith(`${folder}/`) ? absolute.slice(folder.length + 1) : file,
      );
      if ([absolute, ...ways, ...ways.map((way) => `./${way}`)].some((way) => pattern.test(way))) {
        this.found(places.refuse(absolute, true));
      }
    }
  }

  private filesNamed(path: string): string[] {
    const end = path.replace(/^(\.\/)+/, '');
    return ['ability.yaml', ...this.registered.places.index.files].filter(
      (file) => file === end || file.endsWith(`/${end}`),
    );
  }

  /** Texts that a command hands to a shell. */
  private inner(words: readonly string[], items: readonly ShellItem[], command: ShellCommand): void {
    const at = words.findIndex((word) => runsShell([word]));
    if (at >= 0) {
      const rest = words.slice(at + 1);
      for (const word of rest) if (/\s|[;&|<>$`]/.test(word)) this.nested(word);
      if (/^(eval|ssh|su|watch|parallel|xargs)$/.test(programOf(words[at] ?? ''))) {
        this.nested(rest.filter((word) => !word.startsWith('-')).join(' '));
      }
      this.piped(items, command);
    }
    for (const [index, word] of words.entries()) {
      if (/^(-c|-\w{1,3}c|--command|-S|--split-string)$/.test(words[index - 1] ?? '')) this.nested(word);
    }
  }

  /** What the commands before a shell print is what it runs, where it is read as that. */
  private piped(items: readonly ShellItem[], { pipeline }: ShellCommand): void {
    for (const item of items) {
      if (item.kind !== 'command' || item.pipeline !== pipeline) continue;
      if (!/^(echo|printf|cat|tee)$/.test(item.words[0] ?? '')) continue;
      this.nested(
        item.words
          .slice(1)
          .flatMap((word) => this.put(word))
          .join(' ')
          .replaceAll('\\n', '\n'),
      );
      for (const { operator, target } of item.redirects) if (operator.startsWith('<<')) this.nested(target);
    }
  }

  private nested(text: string): void {
    if (text.trim() === '' || this.depth > DEEPEST) return;
    const judge = new ShellJudge(this.registered, [...this.folders], this.depth + 1);
    for (const [name, value] of this.variables) judge.variables.set(name, value);
    judge.isLost = this.isLost;
    this.findings.push(...judge.judge(text));
  }

  private move(words: readonly string[]): void {
    const [program, ...rest] = words;
    if (program === 'popd') this.isLost = true;
    if (program !== 'cd' && program !== 'pushd' && program !== 'chdir') return;
    const to = rest.find((word) => !/^-[LPe@]+$|^--$/.test(word)) ?? this.registered.env.HOME ?? '/';
    if (to === '-' || !isKnown(to)) this.isLost = true;
    else this.folders = [resolve(this.folders[0] ?? '/', to), ...this.folders];
  }

  /** A text that was not split: what it mentions counts. */
  private strict(text: string): void {
    const { scripts, endpoints, places } = this.registered;
    this.found(scripts.find(text, this.bases));
    this.found(endpoints.find(text, ''));
    this.found(findDecisionInText(text));
    const { registry, hooks } = places.index;
    for (const [path] of text.matchAll(/[\w./~-]+/g)) {
      if ([registry, hooks, '.system', 'ability.yaml'].some((place) => path.includes(place))) this.write(path, false);
    }
  }

  private found(finding: Finding | undefined): void {
    if (finding) this.findings.push(finding);
  }
}
