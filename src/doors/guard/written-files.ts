import { readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { gitCall, programOf } from './programs.js';
import { isKnown, MARK } from './shell/marks.js';

/** Programs whose sources and targets are known from their words. */
const COPIERS = /^(cp|mv|ln|install|rsync|scp|tar|bsdtar)$/;

interface Written {
  path: string;
  /** True: with everything in it. */
  whole: boolean;
}

/** Whether the words of a command say exactly what it reads and what it writes. */
export function isUnderstoodWriter(words: readonly string[]): boolean {
  const extracts =
    /^-?[a-zA-Z]*x/.test(words[1] ?? '') || words.some((word) => /^(-\w*x\w*|--extract|--get)$/.test(word));
  return COPIERS.test(words[0] ?? '') && !(isTar(words) && extracts);
}

/** The words of an understood writer without the one that it writes to. */
export function sourcesOf(words: readonly string[]): string[] {
  const target = isTar(words) ? archiveOf(words)[0] : plainOf(words).at(-1);
  return words.filter((word) => word !== target || words.slice(0, -1).some((each) => INTO.test(each)));
}

/** The files that a command writes to, as far as its words say it exactly. */
export function writtenFiles(words: readonly string[]): Written[] {
  const program = programOf(words[0] ?? '');
  const isEdit = /^g?sed$/.test(program) && words.some((word) => /^-\w*i|^--in-place/.test(word));
  return [
    ...(isUnderstoodWriter(words) ? writtenByWriter(words) : []),
    ...(isEdit ? plainOf(words.slice(1)).map(single) : []),
    ...(program === 'git' ? writtenByGit(words) : []),
  ].filter(({ path }) => !path.startsWith('-'));
}

const INTO = /^(-t|--target-directory)$/;

function isTar([program = '']: readonly string[]): boolean {
  return program.endsWith('tar');
}

function archiveOf(words: readonly string[]): string[] {
  const named = words.filter((_, at) => /^(--file|-?\w*f)$/.test(words[at - 1] ?? ''));
  return [...named, ...words.flatMap((word) => /^--file=(.*)/.exec(word)?.[1] ?? [])];
}

function writtenByWriter([program = '', ...rest]: readonly string[]): Written[] {
  if (program.endsWith('tar')) return archiveOf([program, ...rest]).map(single);
  const plain = plainOf(rest);
  const into = targetFolders(rest);
  const sources = into.length > 0 ? plain.filter((word) => !into.includes(word)) : plain.slice(0, -1);
  const targets = into.length > 0 ? into : plain.slice(-1);
  const copied = targets.flatMap((target) => [single(target), ...sources.map((from) => copyOf(from, target))]);
  if (program !== 'ln') return [...(program === 'mv' ? sources.map(all) : []), ...copied];
  // A link is read from the folder that it lies in.
  const linked = targets.flatMap((target) => sources.map((from) => all(join(dirname(target), from))));
  const replaced = /(^|\s)-\w*n/.test(rest.join(' ')) ? targets.map(all) : [];
  return [...sources.map(all), ...linked, ...copied, ...replaced];
}

/** The target of a copy into a folder; for `x/.`, and for `x/` with rsync, the target of its contents. */
function copyOf(from: string, target: string): Written {
  if (/(^|\/)\.?$/.test(from)) return all(target);
  const name = basename(from);
  return { path: join(target, name === '' ? MARK.star : name), whole: true };
}

function writtenByGit(words: readonly string[]): Written[] {
  const { verb, rest, folder } = gitCall(words);
  const within = (path: string): string => (folder === undefined || path.startsWith('/') ? path : join(folder, path));
  const plain = plainOf(rest).map(within);
  if (/^(rm|mv|checkout|restore)$/.test(verb)) return plain.map(all);
  // Without -x, `git clean` keeps ignored files, such as the runtime's state.
  if (verb !== 'clean') return [];
  const named = plain.length > 0 ? plain : rest.some((word) => /^-\w*[xX]/.test(word)) ? [within('.')] : [];
  return named.map(all);
}

/** The folders that are named to copy into. */
function targetFolders(words: readonly string[]): string[] {
  const glued = words.flatMap((word) => /^--target-directory=(.*)/.exec(word)?.[1] ?? []);
  return [...words.filter((_, at) => INTO.test(words[at - 1] ?? '')), ...glued];
}

function plainOf(words: readonly string[]): string[] {
  return words.filter((word) => !word.startsWith('-'));
}

function single(path: string): Written {
  return { path, whole: false };
}

function all(path: string): Written {
  return { path, whole: true };
}

const MAX_BYTES = 1024 * 1024;

/** What `git apply`, `git am` and `patch` write, if the patch is readable: a file, or text of the command. */
export function patchedBy(
  words: readonly string[],
  pipe: readonly { words: readonly string[] }[],
  redirects: readonly { target: string }[],
  folder: string,
): string[] {
  const program = programOf(words[0] ?? '');
  const isGit = program === 'git' && /^(apply|am)$/.test(gitCall(words).verb);
  if (!isGit && program !== 'patch') return [];
  const files = [...words.slice(1), ...pipe.flatMap((each) => each.words), ...redirects.map(({ target }) => target)];
  return files.flatMap((file) => patchedFiles(file.includes('\n') ? file : textOf(resolve(folder, file))));
}

function textOf(path: string): string {
  const found = isKnown(path) ? statSync(path, { throwIfNoEntry: false }) : undefined;
  return found?.isFile() && found.size < MAX_BYTES ? readFileSync(path, 'utf8') : '';
}

/** Paths as the patch names them, and without their first folder. */
function patchedFiles(text: string): string[] {
  const named = [...text.matchAll(/^(?:\+\+\+|---|rename (?:from|to)|copy to) ([^\t\n]+)/gm)].flatMap(
    ([, path]) => path ?? [],
  );
  const git = [...text.matchAll(/^diff --git (\S+) (\S+)$/gm)].flatMap(([, from, to]) => [from ?? '', to ?? '']);
  const paths = [...named, ...git].map((path) => path.trim()).filter((path) => path !== '' && path !== '/dev/null');
  return [...new Set(paths.flatMap((path) => [path, path.replace(/^[^/]*\//, '')]))];
}
