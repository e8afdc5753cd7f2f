import { randomUUID } from 'node:crypto';
import { linkSync, lstatSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

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

/** Creates a file that only this user may read: atomically, and only if none exists. @throws errors of the file system. */
export function createPrivateFile(path: string, content: string | Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  // No seal key has a dot in its name.
  const own = `${path}.${randomUUID()}`;
  try {
    writeFileSync(own, content, { mode: 0o600, flag: 'wx' });
    linkSync(own, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(own, { force: true });
  }
}
