import { lstatSync } from 'node:fs';

/**
 * Why a file is not private to this user, in words that follow "and"; undefined if it is. @throws the error of the
 * file system, such as for a missing file.
 */
export function whyNotPrivate(path: string): string | undefined {
  const status = lstatSync(path);
  if (!status.isFile()) return `${path} is no file`;
  if (status.uid !== (process.getuid?.() ?? status.uid)) return `${path} belongs to another user`;
  const isOpen = process.platform !== 'win32' && (status.mode & 0o077) !== 0;
  return isOpen ? `others may read ${path}` : undefined;
}
