import { resolve } from 'node:path';
import { decodedIn, isTextOnly, printedBy, textsForShell, textsPrinted, WrittenTexts } from './embedded-scripts.js';
import { type Finding, unsure } from './finding.js';
import { judgeArgv, type Registered } from './judge-argv.js';
import { findKeyVariable } from './kept-keys.js';
import { holdsScripts, listedBy, lists } from './listed-files.js';
import { findDecisionInText } from './own-commands.js';
import { isBuilder, isReader, programOf, takesCommands } from './programs.js';
import { type Bases, judgeWrite, placesIn } from './protected-places.js';
import { recipesOf, shellFilesOf } from './recipes.js';
import { isKnown, MARK, withoutMarks, withVariables } from './shell/marks.js';
import { readShell } from './shell/read-shell.js';
import { documentsOf, type ShellCommand, ShellExtent, type ShellRedirect } from './shell/shell-script.js';
import { ShellNames } from './shell-names.js';
import { startedCommands } from './started-commands.js';
import { expandGlob, foldersNamedBy, isFolder, partsOf } from './words.js';
import { patchedBy, writtenFiles } from './written-files.js';

const DEEPEST = 8;
const ARGUMENT_FILE = /^(-a.*|--arg-file.*|::::\+?)$/;
const MAX_FOLDERS = 4;
const MAX_STARTED = 64;
const TO_NOWHERE = /^(\/dev\/(null|stdout|stderr|tty)|&?[012]|-)$/;

/**
 * Finds bypasses of the runtime in a shell text. @throws Error for too many commands. Source: R-002-57, R-002-58;
 * docs/hooks.md#guarding-the-calls-of-agent-tools.
 */
export function judgeShell(text: string, cwd: string, registered: Registered): Finding[] {
  return new ShellJudge(registered, [cwd]).judge(withoutMarks(text));
}

class ShellJudge {
  readonly findings: Finding[] = [];
  private readonly names: ShellNames;
  private isLost = false;
  private readonly pipes = new Map<number, ShellCommand[]>();
  /** The commands of a pipe that do more than print. */
  private readonly doers = new Map<readonly ShellCommand[], readonly ShellCommand[]>();

  constructor(
    private readonly registered: Registered,
    /** Folders that the shell has been in, newest first. */
    private folders: string[],
    private readonly depth = 0,
    private readonly texts = new WrittenTexts(),
    private readonly extent = new ShellExtent(),
    /** Recipes that were judged. */
    private readonly judged = new Set<string>(),
  ) {
    this.names = new ShellNames(registered.env, registered.places.root, () => this.folders[0]);
  }

  judge(text: string): Finding[] {
    const { items, fault } = readShell(text);
    this.extent.add(items);
    for (const item of items) if (item.kind === 'command') this.pipes.set(item.pipeline, [...this.pipeOf(item), item]);
    // A text that cannot be read to its end may do anything with the files it names.
    if (fault !== undefined || this.depth > DEEPEST) this.strict(text);
    const kept: string[][] = [];
    for (const item of items) {
      if (item.kind === 'open') kept.push(this.folders);
      else if (item.kind === 'close') this.folders = kept.pop() ?? this.folders;
      else this.command(item);
    }
    return this.findings;
  }

  private get bases(): Bases {
    return { folders: this.folders, isLost: this.isLost };
  }

  private command(command: ShellCommand): void {
    const pipe = this.pipeOf(command);
    for (const { name, value } of command.assignments) {
      const text = withVariables(value, this.names.valueOf);
      // A program, or the shell itself, may run or read what a variable names: BASH_ENV, PATH, NODE_OPTIONS.
      if (command.words.length > 0 || name in this.registered.env) this.words(['export', text], false);
      this.names.set(name, text);
    }
    this.found(findKeyVariable(command.words));
    const words = this.names.unaliased(this.put(command).words);
    const targets = command.redirects.flatMap(({ operator, target }): ShellRedirect[] =>
      operator === '<<' ? [{ operator, target }] : this.names.put(target).map((put) => ({ operator, target: put })),
    );
    const shows = this.onlyShows(command, words, targets, pipe);
    for (const target of targets) this.redirect(target, words, command, targets, shows);
    if (words.length === 0) return;
    this.names.remember(words);
    if (this.loop(words, command)) return;
    this.words(words, shows);
    for (const { path, whole } of writtenFiles(words)) this.write(path, whole);
    if (programOf(words[0] ?? '') === 'tee') {
      const texts = printedBy(words, targets, pipe);
      for (const path of words.slice(1)) for (const text of texts) this.keepText(path, text);
    }
    for (const path of patchedBy(words, pipe, targets, this.folders[0] ?? '/')) this.write(path, false);
    const listed = (): string[] => [...this.listedBefore(command, targets), ...this.ownList(words)];
    for (const started of startedCommands(words, listed).slice(0, MAX_STARTED)) this.started(started);
    if (shows) return;
    this.recipes(words);
    this.inner(words, command, targets);
    this.copied(words);
    this.move(words);
  }

  private pipeOf({ pipeline }: ShellCommand): readonly ShellCommand[] {
    return this.pipes.get(pipeline) ?? [];
  }

  /** With the values of variables. */
  private put(command: ShellCommand): ShellCommand {
    return { ...command, words: command.words.flatMap((word) => this.names.put(word)) };
  }

  /** Judges words only; redirects and pipes are judged elsewhere. */
  private words(words: readonly string[], shows: boolean): void {
    this.findings.push(...judgeArgv(words, this.bases, this.registered, shows));
    if (shows) return;
    for (const word of words) for (const text of this.texts.at(word, this.folders)) this.nested(text);
  }

  private started(words: readonly string[]): void {
    const shows = isReader(words);
    this.words(words, shows);
    for (const { path, whole } of writtenFiles(words)) this.write(path, whole);
    if (!shows) for (const text of textsForShell(words)) this.nested(text);
  }

  /** For `for NAME in ..`, `select` and `while read NAME`: what is named is judged where it is used. */
  private loop(words: readonly string[], command: ShellCommand): boolean {
    const [program, name = '', third] = words;
    if (program === 'read') {
      const targets = command.redirects.filter(({ operator }) => operator === '<<<').map(({ target }) => target);
      const listed = [...this.listedBefore(command, []), ...targets];
      const variable = words.slice(1).find((word) => /^[A-Za-z_]\w*$/.test(word));
      if (variable !== undefined) this.names.setOneOf(variable, [...listed, MARK.unset]);
      return false;
    }
    if (!/^(for|select)$/.test(program ?? '') || third !== 'in') return false;
    this.names.setOneOf(name, words.slice(3));
    return true;
  }

  /** Whether a command only prints the files it names, and not to another program. */
  private onlyShows(
    { substituted, assignments }: ShellCommand,
    words: readonly string[],
    targets: readonly ShellRedirect[],
    pipe: readonly ShellCommand[],
  ): boolean {
    if (substituted || assignments.length > 0 || !isReader(words)) return false;
    const copies = targets.some(({ operator, target }) => operator.includes('>') && !TO_NOWHERE.test(target));
    if (targets.some(({ operator, target }) => operator === '>&' && /^[3-9]/.test(target))) return false;
    if (copies && !isTextOnly(words)) return false;
    const others = this.doers.get(pipe) ?? pipe.filter((each) => !isReader(each.words));
    this.doers.set(pipe, others);
    return others.every((each) => each.words[0] === 'tee' && isTextOnly(words));
  }

  private redirect(
    { operator, target }: ShellRedirect,
    words: readonly string[],
    command: ShellCommand,
    targets: readonly ShellRedirect[],
    shows: boolean,
  ): void {
    const [program = ''] = words;
    if (operator === '<<' || operator === '<<<') {
      if (!isReader(words) && program !== 'tee') this.nested(target, words);
      // The text of a substituted `cat` is judged with the word that it becomes part of.
      if (program !== 'tee' && !(command.substituted && program === 'cat')) this.words([program, target], shows);
      return;
    }
    this.found(this.registered.endpoints.findSocket(target));
    if (operator.includes('>') && !TO_NOWHERE.test(target)) {
      this.write(target, false);
      for (const text of printedBy(words, targets, this.pipeOf(command))) this.keepText(target, text);
    }
    if (operator.startsWith('<')) this.words([program, target], shows);
  }

  /** Text written to a file is judged when the file is run; text of Git hooks, at once. */
  private keepText(path: string, text: string): void {
    if (/(^|\/)(\.git\/hooks|\.husky)\//.test(path)) this.nested(text);
    this.texts.keep(path, this.folders, text);
  }

  private write(path: string, whole: boolean): void {
    this.findings.push(...judgeWrite(path, whole, this.bases, this.registered.places));
  }

  private listedBefore(command: ShellCommand, targets: readonly ShellRedirect[]): string[] {
    const given = documentsOf(targets).flatMap((text) => text.split(/\s+/));
    const pipe = this.pipeOf(command);
    const before = pipe.slice(0, pipe.indexOf(command)).map((each) => this.put(each));
    const isFromFile =
      command.redirects.some(({ operator }) => operator === '<') ||
      command.words.some((word) => ARGUMENT_FILE.test(word));
    const isKnownList = !isFromFile && before.every(({ words }) => lists(words, this.folders[0] ?? '/'));
    const printed = before.flatMap(({ words, redirects }) => [
      ...(isTextOnly(words) ? documentsOf(redirects).flatMap((text) => text.split(/\s+/)) : []),
      ...this.ownList(words),
    ]);
    return [...(isKnownList ? [] : [MARK.unknown]), ...given.filter((word) => word !== ''), ...printed];
  }

  private ownList(words: readonly string[]): string[] {
    return listedBy(words, this.folders[0] ?? '/', this.registered.places);
  }

  /** Judges texts that a command, or those before it in its pipe, pass to a shell. */
  private inner(words: readonly string[], command: ShellCommand, targets: readonly ShellRedirect[]): void {
    for (const text of textsForShell(words)) this.nested(text, words);
    const program = programOf(words[0] ?? '');
    const pipe = this.pipeOf(command);
    const before = pipe.slice(0, pipe.indexOf(command));
    const put = pipe.map((each) => this.put(each));
    const isFed = before.length > 0 && !isReader(words) && program !== 'tee';
    if (isFed) for (const text of put.flatMap(textsPrinted)) this.nested(text, words);
    if (isFed && takesCommands(words) && before.some((each) => !isTextOnly(each.words) && each.words[0] !== 'cat'))
      this.found(unsure(`${program} runs a text`));
    const commands = put.map((each) => each.words);
    for (const text of decodedIn(commands, targets)) this.nested(text);
  }

  /** Judges what files of the project have the command run, each once and as far as it is sure. */
  private recipes(words: readonly string[]): void {
    const folders = [this.folders[0] ?? '/', ...foldersNamedBy(words, this.folders)];
    for (const recipe of [...recipesOf(words, folders), ...shellFilesOf(words, folders)]) {
      const key = JSON.stringify(recipe);
      if (this.judged.has(key)) continue;
      this.judged.add(key);
      const findings = this.findingsIn(recipe.text, [recipe.folder], new ShellExtent());
      const sure = findings.filter(({ isUnsure, about }) => !isUnsure && about !== 'registry');
      this.findings.push(...sure.map((finding) => ({ ...finding, what: `${recipe.file}: ${finding.what}` })));
    }
  }

  private findingsIn(text: string, folders: readonly string[], extent = this.extent): Finding[] {
    if (text.trim() === '' || this.depth > DEEPEST) return [];
    const judge = new ShellJudge(this.registered, [...folders], this.depth + 1, this.texts, extent, this.judged);
    this.names.copyTo(judge.names);
    judge.isLost = this.isLost;
    return judge.judge(text);
  }

  /** Judges a text that a command hands on, also in the folders that the command names. */
  private nested(text: string, words: readonly string[] = []): void {
    this.findings.push(...this.findingsIn(text, this.folders));
    for (const folder of foldersNamedBy(words, this.folders).slice(0, MAX_FOLDERS))
      this.findings.push(...this.findingsIn(text, [folder]));
  }

  /** After a copy of a folder with scripts, a file with the name of one may be that script. */
  private copied(words: readonly string[]): void {
    const isWorktree = words.includes('worktree');
    if (isReader(words) || (isBuilder(words) && !isWorktree)) return;
    const paths = words
      .slice(1)
      .flatMap(partsOf)
      .filter(isKnown)
      .map((part) => resolve(this.folders[0] ?? '/', part));
    if (isWorktree || paths.some((path) => holdsScripts(path, this.registered.places))) this.isLost = true;
  }

  private move(words: readonly string[]): void {
    const [program, ...rest] = words;
    if (program === 'popd') this.isLost = true;
    if (program !== 'cd' && program !== 'pushd' && program !== 'chdir') return;
    const to = rest.find((word) => !/^-[LPe@]+$|^--$/.test(word)) ?? this.registered.env.HOME ?? '/';
    const entered = expandGlob(to, this.folders[0] ?? '/').filter(isFolder);
    if (entered.length === 0) this.isLost = true;
    this.folders = [...entered, ...this.folders];
  }

  /** Judges unsplit text: everything it mentions counts. */
  private strict(text: string): void {
    const { scripts, endpoints, places } = this.registered;
    this.found(scripts.find(text, this.bases));
    this.found(endpoints.find(text, ''));
    this.found(findDecisionInText(text));
    for (const path of placesIn(text, places)) this.write(path, false);
  }

  private found(finding: Finding | undefined): void {
    if (finding) this.findings.push(finding);
  }
}
