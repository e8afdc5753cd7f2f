import { lstatSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { attempt } from '../../text/attempt.js';
import { escapePattern } from '../../text/escape-pattern.js';
import { memoize } from '../../text/memoize.js';
import { type Finding, roundAbility } from './finding.js';
import type { Bases, Places } from './protected-places.js';
import { hasLetters, isKnown, patternOf, waysTo } from './shell/marks.js';
import { expandGlob, isBlind, isFile, partsOf } from './words.js';

interface Script {
  ability: string;
  path: string;
}

export class RegisteredScripts {
  private readonly mentions: (Script & { pattern: RegExp })[];
  private readonly stems: ReadonlySet<string>;

  constructor(private readonly places: Places) {
    this.mentions = places.index.scripts.map(({ ability, path }) => ({ ability, path, pattern: mentionOf(path) }));
    this.stems = new Set(places.index.scripts.flatMap(({ path }) => [stemOf(path), stemOf(dirname(path))]));
  }

  /** Finds the ability whose script a word would run. @param args the words after it. */
  find(word: string, bases: Bases, args: readonly string[] = []): Finding | undefined {
    const mentioned = this.mentions.find(({ pattern }) => pattern.test(word));
    const found = (this.isOther(word, bases) ? undefined : mentioned) ?? this.byPlace(word, bases);
    return roundScript(found && { ...found, ability: this.abilityOf(found.ability, args) });
  }

  /** Of several abilities with one script, the one whose own arguments fit these best. */
  private abilityOf(ability: string, args: readonly string[]): string {
    const { scripts } = this.places.index;
    const path = scripts.find((each) => each.ability === ability)?.path;
    const fits = ({ args: own }: { args: string[] }): number => {
      const fixed = own.flatMap((arg, at) => (arg.includes('${{') ? [] : [arg === args[at]]));
      return fixed.includes(false) ? -1 : fixed.length;
    };
    const [best] = scripts.filter((each) => each.path === path).sort((one, other) => fits(other) - fits(one));
    return best?.ability ?? ability;
  }

  /** As {@link find}, for the module of `python -m`. */
  findModule(word: string, folders: readonly string[]): Finding | undefined {
    const path = word.replaceAll('.', '/');
    return this.findFile([`${path}.py`, `${path}/__main__.py`], folders);
  }

  /** As {@link find}, for a text in a code, which may import it without its extension. */
  findImport(text: string, folders: readonly string[]): Finding | undefined {
    if (!/^[\w./~@-]+$/.test(text) || text.length > 1024) return undefined;
    const isPath = /^\.{0,2}\//.test(text);
    // Code may hold thousands of texts; no file is looked up for those that cannot name a script.
    if (!this.stems.has(stemOf(text)) && !isLink(folders, text)) return undefined;
    return this.findFile([text, ...(isPath ? EXTENSIONS.map((each) => `${text}${each}`) : [])], folders);
  }

  private findFile(paths: readonly string[], folders: readonly string[]): Finding | undefined {
    for (const path of folders.flatMap((folder) => paths.map((each) => resolve(folder, each)))) {
      const found = isFile(path) ? this.byFile(path) : undefined;
      if (found) return roundScript(found);
    }
    return undefined;
  }

  /** Whether a word is the path of a file that is no ability's script, under whatever name. */
  private isOther(word: string, { folders }: Bases): boolean {
    if (!isKnown(word) || /\s/.test(word) || word.length > 1024) return false;
    const path = resolve(folders[0] ?? '/', word);
    return this.places.inProject(this.places.real(path)) !== undefined && isFile(path) && !this.byFile(path);
  }

  private byPlace(word: string, { folders, isLost, named = [] }: Bases): Script | undefined {
    for (const part of partsOf(word)) {
      if (isKnown(part)) {
        const filesIn = (folder: string): string[] => {
          const path = resolve(folder, part);
          return [path, ...MAINS.map((main) => join(path, main))].filter(isFile);
        };
        // Of the folders that the shell has been in, the current one comes first; a command may run in each it names.
        const first = folders.flatMap(filesIn)[0];
        const isNamed = ({ path }: Script): boolean => basename(path) === basename(part);
        const files = [...(first === undefined ? [] : [first]), ...named.flatMap(filesIn)];
        const found = files.map((file) => this.byFile(file)).find((script) => script !== undefined);
        if (found) return found;
        const lost = isLost && files.length === 0 ? this.places.index.scripts.find(isNamed) : undefined;
        if (lost) return lost;
      } else if (!isBlind(part) && (hasLetters(part) || /[\uE000-\uE002]/.test(part))) {
        const there = [...folders, ...named].flatMap((folder) => expandGlob(part, folder)).filter(isFile);
        const real = there.map((file) => this.byFile(file)).find((script) => script !== undefined);
        if (real) return real;
        const pattern = patternOf(part);
        const { root, index } = this.places;
        const found = index.scripts.find(({ path }) => {
          const ways = waysTo(join(root, path), [...folders, ...named]);
          return [path, `./${path}`, ...ways].some((way) => pattern.test(way));
        });
        if (found) return found;
      }
    }
    return undefined;
  }

  /** Compares files, not names: links lead to the same place, and hard links to the same node. */
  private byFile(path: string): Script | undefined {
    const { real, nodes } = filesOf(this.places);
    const at = realpathSync(path);
    const copy = this.places.inProject(at)?.startsWith('.system/pinned/') === true;
    const pinned = copy
      ? this.places.index.scripts.find((script) => at.endsWith(`/${script.path}`))?.ability
      : undefined;
    const ability = pinned ?? real.get(at) ?? nodes.get(nodeOf(path) ?? '');
    return ability === undefined ? undefined : { ability, path: this.places.inProject(path) ?? path };
  }
}

/** The abilities of the scripts, by path and by node. */
const filesOf = memoize((places: Places) => {
  const real = new Map<string, string>();
  const nodes = new Map<string, string>();
  for (const { ability, path } of places.index.scripts) {
    const absolute = join(places.root, path);
    real.set(places.real(absolute), ability);
    const node = nodeOf(absolute);
    if (node !== undefined) nodes.set(node, ability);
  }
  return { real, nodes };
});

function roundScript(script: Script | undefined): Finding | undefined {
  return script && roundAbility(`${script.path} is the script`, script.ability);
}

function stemOf(path: string): string {
  return basename(path).replace(/\.\w+$/, '');
}

/** Whether a text with a slash or extension names a link, perhaps to a file of another name. */
function isLink(folders: readonly string[], text: string): boolean {
  if (!/[./]/.test(text)) return false;
  return folders.some((folder) => {
    const found = lstatSync(resolve(folder, text), { throwIfNoEntry: false });
    return found !== undefined && (found.isSymbolicLink() || found.nlink > 1);
  });
}

/** Files that an interpreter runs when given a folder. */
const MAINS = ['index.js', 'index.mjs', 'index.cjs', '__main__.py'];
const EXTENSIONS = ['.js', '.mjs', '.cjs', '.ts', '.mts', '.py', '.rb', '.sh', '/index.js', '/index.mjs'];

/** Matches a script in a text: its path, its path without extension as in imports, or its module name. */
function mentionOf(path: string): RegExp {
  const stem = path.replace(/\.\w+$/, '');
  const dotted = stem.replaceAll('/', '.');
  const [p, s, d] = [path, stem, dotted].map(escapePattern);
  // Not a file of that name in a folder; nor the bare stem, which may be any word.
  if (!path.includes('/')) {
    return new RegExp(
      `(^|[^\\w./-])((\\.{0,2}/)*|/[\\w./-]*/)${p}(?![\\w-])|(^|[^\\w./-])(\\.{1,2}/)+${s}(?![\\w./-])`,
    );
  }
  return new RegExp(`(^|[^\\w.-]|\\./)(${p}(?![\\w-])|${s}(?![\\w./-])|${d}(?![\\w./-]))`);
}

function nodeOf(path: string): string | undefined {
  return attempt(() => {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  });
}
