import { readdirSync, type Stats, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { attempt } from '../../text/attempt.js';
import { isKnown, MARK, patternOf } from './shell/marks.js';

/** Whether nothing of a word is known, but that this very text computes it. */
export function isBlind(word: string): boolean {
  return word.includes(MARK.unknown) && /^[^\w]*$/.test(word);
}

/** The maximum number of folders and of texts in quotes that are taken from one command. */
const MAX = 200;
const LONGEST = 4096;

/** The texts in quotes of a code. */
export function quotedIn(code: string): string[] {
  const found = [...code.slice(0, 100_000).matchAll(/(["'`])((?:(?!\1)[^\\\n]|\\.)*)\1/g)];
  return [...new Set(found.flatMap(([, , text]) => (text ? [text] : [])))].slice(0, MAX);
}

/**
 * What in a word may be a path: all of it, what follows `=`, `:`, `,`, `@`, `!` or the letter of an option, and the texts
 * in quotes, in the order of the word.
 */
export function partsOf(word: string): string[] {
  const plain = word.replace(/^file:\/\/(localhost)?/, '');
  const glued = /^-\w(.+)$/s.exec(plain)?.[1] ?? '';
  const quoted = /["'`]/.test(plain) ? quotedIn(plain) : [];
  const parts = [plain, glued, ...plain.split(/[=:,@!]/), ...quoted];
  return [...new Set(parts)].filter((part) => part !== '' && part.length < LONGEST);
}

/** The folders that a command names anywhere: as an option, a variable or an argument. It may run in each of them. */
export function foldersNamedBy(words: readonly string[], folders: readonly string[]): string[] {
  const named = words.flatMap((word) => partsOf(word).filter(isKnown));
  const above = named.filter((part) => part.includes('/')).map((part) => dirname(part));
  const paths = [...new Set([...named, ...above])]
    .slice(0, MAX)
    .flatMap((part) => folders.map((folder) => resolve(folder, part)));
  return [...new Set(paths)].filter((path) => !folders.includes(path) && isFolder(path));
}

/** The paths that a word with patterns stands for in a folder; the path itself where it has none. */
export function expandGlob(word: string, folder: string): string[] {
  let found = [word.startsWith('/') ? '/' : folder];
  for (const part of word.split('/').filter((each) => each !== '')) {
    if (isKnown(part)) found = found.map((path) => join(path, part));
    else {
      const pattern = patternOf(part);
      const fits = (name: string): boolean => pattern.test(name) && (part.startsWith('.') || !name.startsWith('.'));
      found = found
        .flatMap((path) =>
          namesIn(path)
            .filter(fits)
            .map((name) => join(path, name)),
        )
        .slice(0, MAX);
    }
  }
  return found;
}

/** The names in a folder; none where it is no folder. */
export function namesIn(folder: string): string[] {
  return attempt(() => readdirSync(folder), []);
}

export function isFolder(path: string): boolean {
  return statusOf(path)?.isDirectory() === true;
}

export function isFile(path: string): boolean {
  return statusOf(path)?.isFile() === true;
}

/** Undefined for what is not there, and for what is no path. */
function statusOf(path: string): Stats | undefined {
  return attempt(() => statSync(path, { throwIfNoEntry: false }));
}
