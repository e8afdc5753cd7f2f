import { lstatSync } from 'node:fs';

/**
 * Why a file cannot be trusted to be known to its owner alone, in words that follow "and": it is none, it is of another
 * user, or others may read it.
 *
 * @returns undefined where it can. @throws the error of the file system, such as for one that is missing.
 */
export function whyNotPrivate(path: string): string | undefined {
  const status = lstatSync(path);
  if (!status.isFile()) return `${path} is no file`;
  if (status.uid !== (process.getuid?.() ?? status.uid)) return 'the runtime of this project belongs to another user';
  const isOpen = process.platform !== 'win32' && (status.mode & 0o077) !== 0;
  return isOpen ? `others may read ${path}` : undefined;
}
