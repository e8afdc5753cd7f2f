import { existsSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { attempt } from '../../text/attempt.js';
import { programOf } from './programs.js';
import type { Places } from './protected-places.js';
import { globOf, waysTo } from './shell/marks.js';
import { expandGlob, isFolder, namesIn } from './words.js';

const LISTERS = /^(find|fd|fdfind|ls|rg|[ef]?grep|git)$/;
const FILTERS = /^([ef]?grep|rg|head|tail|sort|uniq|tee|cat)$/;
/** Options that make a search print the names of files. */
const NAMES = /^(-\w*[lL]\w*|--files|--files-with(out)?-match(es)?)$/;
/** Options after which `fd` runs a command, for each file or for all. */
export const FD_RUNS = /^(-x|-X|--exec|--exec-batch)$/;

/** Whether it is known what a command prints: what {@link listedBy} says, or a part of what it reads from a pipe. */
export function lists(words: readonly string[], folder: string): boolean {
  const program = programOf(words[0] ?? '');
  if (/^(echo|printf|find|fd|fdfind|ls|git|seq|yes)$/.test(program) || words.some((word) => NAMES.test(word)))
    return true;
  return FILTERS.test(program) && !words.slice(1).some((word) => existsSync(resolve(folder, word)));
}

/**
 * What matters of what a command lists: scripts of abilities, definitions and keys, as whole paths and within the
 * folder that it lists; for `echo`, its words.
 */
export function listedBy(words: readonly string[], folder: string, places: Places): string[] {
  const program = programOf(words[0] ?? '');
  const end = words.findIndex((word) => FD_RUNS.test(word) || /^-(exec|execdir|ok|okdir)$/.test(word));
  const own = (end < 0 ? words : words.slice(0, end)).slice(1);
  const plain = own.filter((word) => !word.startsWith('-'));
  if (program === 'echo' || program === 'printf')
    return plain.flatMap((word) => word.split(/(?:\s|\\n)+/)).filter(Boolean);
  const isSearch = /^(rg|[ef]?grep)$/.test(program) && !own.some((word) => NAMES.test(word));
  // Registered files are not empty.
  if (!LISTERS.test(program) || isSearch || own.includes('-empty')) return [];
  const behind = (flag: RegExp): string[] =>
    own.filter((_, at) => flag.test(own[at - 1] ?? '') && !/^(!|-not)$/.test(own[at - 2] ?? ''));
  const [name = '.'] = program.startsWith('fd') ? plain : [];
  const expressions = name === '.' ? [] : [attempt(() => new RegExp(name, 'i'), /./)];
  const names = [...behind(/^-i?name$/).map(globOf), ...expressions];
  const ways = behind(/^-i?(path|wholename)$/).map((way) => globOf(way.replaceAll('*', '**')));
  const kinds = behind(/^-type$/).flatMap((type) => type.split(','));
  const { root, index } = places;
  const folders = ['.system', index.registry, index.hooks].map((each) => join(root, each));
  const files = new Set([...index.scripts.map(({ path }) => path), 'ability.yaml', ...index.files]);
  const fits = (path: string): boolean =>
    (names.length === 0 || names.some((each) => each.test(basename(path)))) &&
    (ways.length === 0 || waysTo(path, [root, folder]).some((way) => ways.some((each) => each.test(way)))) &&
    (kinds.length === 0 || kinds.includes(folders.includes(path) ? 'd' : 'f'));
  const roots = plain.flatMap((word) => (/[\uE000\uE008]/.test(word) ? ['/'] : expandGlob(word, folder)));
  // `git` lists what it keeps, and searches leave out what is hidden.
  const keys = /^(git|rg|fd|fdfind)$/.test(program) ? [] : keysOf(places);
  const all = [...[...files].map((path) => join(root, path)), ...folders, ...keys].filter(fits);
  const there = roots.filter((path) => existsSync(path)).map((path) => places.real(path));
  return (there.length > 0 ? there : [places.real(folder)]).flatMap((top) => {
    const within = all.filter((path) => path === top || path.startsWith(top === '/' ? top : `${top}/`));
    const parts = within.filter((path) => path !== top).map((path) => path.slice(top.length + 1));
    if (program === 'ls') return within.includes(top) ? [top] : parts.map((part) => part.split('/')[0] ?? '');
    return [...within, ...parts];
  });
}

/** The paths of key and token files that there are. */
export function keysOf({ kept }: Places): string[] {
  return kept.flatMap((folder) => namesIn(folder).map((name) => join(folder, name)));
}

/** At any depth. */
export function holdsScripts(path: string, places: Places): boolean {
  const real = places.real(path);
  return isFolder(real) && places.index.scripts.some((script) => join(places.root, script.path).startsWith(`${real}/`));
}
