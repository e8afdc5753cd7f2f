import { readdirSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { gitCall, programOf } from './programs.js';
import type { Places } from './protected-places.js';
import { globOf, isKnown, waysTo } from './shell/marks.js';
import { isFolder } from './words.js';

/**
 * The relevant files that a command lists: scripts of abilities, definitions and keys; for `echo`, its words. Keys
 * only if it searches by name or in the runtime's folder: otherwise most searches would find them.
 */
export function listedBy(words: readonly string[], folder: string, places: Places): string[] {
  const program = programOf(words[0] ?? '');
  const plain = words.slice(1).filter((word) => !word.startsWith('-'));
  if (program === 'echo' || program === 'printf')
    return plain.flatMap((word) => word.split(/(?:\s|\\n)+/)).filter(Boolean);
  if (program === 'find') return foundBy(words, folder, places);
  if (program === 'ls') {
    const named = plain.length > 0 ? plain : ['.'];
    return named.flatMap((word) => {
      const path = resolve(folder, word);
      return isFolder(path) ? inFolder(path, places) : [word];
    });
  }
  if (/^(fd|fdfind)$/.test(program)) {
    const end = words.findIndex((word) => FD_RUNS.test(word));
    const [name = '.', ...within] = (end < 0 ? words : words.slice(0, end))
      .slice(1)
      .filter((word) => !word.startsWith('-'));
    const pattern = expressionOf(name);
    return protectedWithin(within, folder, places, (path) => pattern.test(basename(path)), name !== '.');
  }
  const lists =
    program === 'git' ||
    (program === 'rg' && words.includes('--files')) ||
    (/^(rg|[ef]?grep)$/.test(program) &&
      words.some((word) => /^(-\w*[lL]\w*|--files-with(out)?-match(es)?)$/.test(word)));
  if (!lists) return [];
  const within =
    program === 'git'
      ? gitCall(words).verb === 'ls-files'
        ? gitCall(words).rest
        : []
      : words.includes('--files')
        ? plain
        : plain.slice(1);
  return protectedWithin(within, folder, places, () => true, false);
}

/** Whether it is known what a command prints: what {@link listedBy} says, or a part of what it reads. */
export function lists(words: readonly string[]): boolean {
  const program = programOf(words[0] ?? '');
  return (
    /^(echo|printf|find|ls|fd|fdfind|rg|[ef]?grep|git|head|tail|sort|uniq|tee|seq|yes)$/.test(program) ||
    words.join(' ') === 'cat'
  );
}

/** Options after which `fd` runs a command, for each file or for all. */
export const FD_RUNS = /^(-x|-X|--exec|--exec-batch)$/;

function expressionOf(text: string): RegExp {
  try {
    return new RegExp(text, 'i');
  } catch {
    return /./;
  }
}

function foundBy(words: readonly string[], folder: string, places: Places): string[] {
  const rest = words.slice(1).filter((word) => !/^-[LHP]$/.test(word));
  // Registered files are not empty.
  if (words.includes('-empty')) return [];
  const end = rest.findIndex((word) => /^[-(!]/.test(word));
  const names = words.filter(
    (_, at) => /^-i?name$/.test(words[at - 1] ?? '') && !/^(!|-not)$/.test(words[at - 2] ?? ''),
  );
  const ways = words.filter(
    (_, at) => /^-(i?path|i?wholename)$/.test(words[at - 1] ?? '') && !/^(!|-not)$/.test(words[at - 2] ?? ''),
  );
  const [named, placed] = [names.map(globOf), ways.map((way) => globOf(way.replaceAll('*', '**')))];
  const fits = (path: string): boolean =>
    (named.length === 0 || named.some((each) => each.test(basename(path)))) &&
    (placed.length === 0 || waysTo(path, [places.root, folder]).some((way) => placed.some((each) => each.test(way))));
  const types = words.filter((_, at) => words[at - 1] === '-type');
  const kinds = types.length === 0 ? ['f', 'd'] : types.flatMap((type) => type.split(','));
  const found = protectedWithin(
    end < 0 ? rest : rest.slice(0, end),
    folder,
    places,
    fits,
    names.length + ways.length > 0 || words.some((word) => /^-i?regex$/.test(word)),
  );
  const folders = new Set(foldersOf(places));
  return found.filter((path) => kinds.includes(folders.has(path) ? 'd' : 'f'));
}

function protectedWithin(
  folders: readonly string[],
  folder: string,
  places: Places,
  fits: (path: string) => boolean,
  isNamed: boolean,
): string[] {
  const named = folders.filter((word) => !word.startsWith('-'));
  const tops = (named.length > 0 ? named : ['.']).map((word) =>
    isKnown(word) ? places.real(resolve(folder, word)) : '/',
  );
  const state = join(places.root, '.system');
  return tops.flatMap((top) => {
    const isWithin = (path: string): boolean => path === top || top === '/' || path.startsWith(`${top}/`);
    const keys = isNamed || top === state || top.startsWith(`${state}/`) ? keysOf(places.root) : [];
    return [...protectedOf(places), ...foldersOf(places), ...keys].filter((path) => isWithin(path) && fits(path));
  });
}

function inFolder(folder: string, places: Places): string[] {
  const real = places.real(folder);
  const inside = [...protectedOf(places), ...keysOf(places.root)].filter((path) => path.startsWith(`${real}/`));
  return [...new Set(inside.map((path) => path.slice(real.length + 1).split('/')[0] ?? ''))];
}

function foldersOf({ root, index }: Places): string[] {
  return ['.system', index.registry, index.hooks].map((folder) => join(root, folder));
}

function protectedOf({ root, index }: Places): string[] {
  const files = [...index.scripts.map(({ path }) => path), 'ability.yaml', ...index.files];
  return [...new Set(files)].map((path) => join(root, path));
}

/** Paths of key and token files; always includes `proof` of both folders. */
export function keysOf(root: string): string[] {
  return ['keys', 'tokens'].flatMap((name) => {
    const folder = join(root, '.system', name);
    let files: string[] = [];
    try {
      files = readdirSync(folder);
    } catch {
      // The folder does not exist yet.
    }
    return [...new Set([...files, 'proof'])].map((file) => join(folder, file));
  });
}

/** At any depth. */
export function holdsScripts(path: string, places: Places): boolean {
  const real = places.real(path);
  return isFolder(real) && places.index.scripts.some((script) => join(places.root, script.path).startsWith(`${real}/`));
}
