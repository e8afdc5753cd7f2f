import { realpathSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { isKnown, MARK, patternOf } from '../../rules/shell/marks.js';
import { type Finding, roundAbility } from './finding.js';
import type { Places } from './places.js';

/** Folders against which a path may be meant. */
export interface Bases {
  /** The newest first. */
  folders: readonly string[];
  /** Whether the shell may be anywhere. */
  isLost: boolean;
}

/** Fewer letters that are known tell nothing. */
const LEAST_LETTERS = 3;

/** Finds scripts of abilities among words of a shell. */
export class RegisteredScripts {
  private readonly mentions: { ability: string; path: string; pattern: RegExp }[];
  private known: { real: Map<string, string>; nodes: Map<string, string> } | undefined;

  constructor(private readonly places: Places) {
    this.mentions = places.index.scripts.map(({ ability, path }) => {
      const stem = path.replace(/\.\w+$/, '');
      const dotted = stem.replaceAll('/', '.');
      const [p, s, d] = [path, stem, dotted].map(escaped);
      // A whole path, or one without its extension as code imports it, or as the name of a module.
      const source = `(^|[^\\w.-]|\\./)(${p}(?![\\w-])|${s}(?![\\w./-])${dotted.includes('.') ? `|${d}(?![\\w./-])` : ''})`;
      return { ability, path, pattern: new RegExp(source) };
    });
  }

  /** Which ability a word would run. */
  find(word: string, bases: Bases): Finding | undefined {
    const found = this.byText(word) ?? this.byPlace(word, bases);
    return found && roundAbility(`${found.path} is the script`, found.ability);
  }

  /** As {@link find}, for a name that is looked for wherever it lies, as `find -name` does. */
  findName(word: string): Finding | undefined {
    // `find` reads a pattern that the shell left alone.
    const pattern = patternOf(
      word
        .replaceAll('*', MARK.star)
        .replaceAll('?', MARK.one)
        .replace(/\[[^\]]*\]/g, MARK.one),
    );
    if (lettersOf(word) < LEAST_LETTERS) return undefined;
    const found = this.places.index.scripts.find(({ path }) => pattern.test(basename(path)));
    return found && roundAbility(`${found.path} is the script`, found.ability);
  }

  private byText(word: string): { ability: string; path: string } | undefined {
    return this.mentions.find(({ pattern }) => pattern.test(word));
  }

  private byPlace(word: string, { folders, isLost }: Bases): { ability: string; path: string } | undefined {
    for (const part of partsOf(word)) {
      if (isKnown(part)) {
        const paths = folders.map((folder) => resolve(folder, part));
        // Where the shell is: what is there counts. Else it may still be in a folder where it was.
        const there = paths.filter((path) => isFile(path)).slice(0, 1);
        for (const path of there) {
          const found = this.byFile(path);
          if (found) return found;
        }
        if (isLost && there.length === 0) {
          const name = basename(part);
          const found = this.places.index.scripts.find(({ path }) => basename(path) === name);
          if (found) return found;
        }
      } else if (lettersOf(part) >= LEAST_LETTERS) {
        const pattern = patternOf(part);
        const { root, index } = this.places;
        const found = index.scripts.find(({ path }) => {
          const absolute = join(root, path);
          const ways = folders.map((folder) => absolute.slice(folder.length + 1) && relativeTo(folder, absolute));
          return [absolute, path, `./${path}`, ...ways, ...ways.map((way) => `./${way}`)].some((way) =>
            pattern.test(way),
          );
        });
        if (found) return found;
      }
    }
    return undefined;
  }

  /** By what a file is, whatever it is called: links lead to the same place, and hard links to the same node. */
  private byFile(path: string): { ability: string; path: string } | undefined {
    const { real, nodes } = this.files();
    const ability = real.get(realpathSync(path)) ?? nodes.get(nodeOf(path) ?? '');
    return ability === undefined ? undefined : { ability, path: this.places.inProject(path) ?? path };
  }

  private files(): { real: Map<string, string>; nodes: Map<string, string> } {
    if (this.known) return this.known;
    const real = new Map<string, string>();
    const nodes = new Map<string, string>();
    for (const { ability, path } of this.places.index.scripts) {
      const absolute = join(this.places.root, path);
      real.set(this.places.real(absolute), ability);
      const node = nodeOf(absolute);
      if (node !== undefined) nodes.set(node, ability);
    }
    this.known = { real, nodes };
    return this.known;
  }
}

/** A word, and what in it may be a path: behind `=`, `:`, `,` or `@`. */
function partsOf(word: string): string[] {
  const plain = word.replace(/^file:\/\//, '');
  return [...new Set([plain, ...plain.split(/[=:,@]/)])].filter((part) => part !== '' && part.length < 4096);
}

function relativeTo(folder: string, path: string): string {
  return path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
}

function lettersOf(word: string): number {
  return word.replace(/[^\w]/g, '').length;
}

function isFile(path: string): boolean {
  try {
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

function nodeOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');
}
