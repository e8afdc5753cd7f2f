import { lstatSync } from 'node:fs';

/**
 * Why a file is not known to its owner alone, in words that follow "and": it is not a file, belongs to another user, or
 * others may read it.
 *
 * @returns undefined if it is private. @throws the error of the file system, such as for a missing one.
 */
export function whyNotPrivate(path: string): string | undefined {
  const status = lstatSync(path);
  if (!status.isFile()) return `${path} is no file`;
  if (status.uid !== (process.getuid?.() ?? status.uid)) return 'the runtime of this project belongs to another user';
  const isOpen = process.platform !== 'win32' && (status.mode & 0o077) !== 0;
  return isOpen ? `others may read ${path}` : undefined;
}
