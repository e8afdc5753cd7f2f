import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { notRead } from './store-errors.js';

/** What lies in a folder of a store; nothing where there is no folder. @throws AbilityError `store.not_shared`. */
export async function entriesOf(folder: string): Promise<Dirent[]> {
  return readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    if (isAbsent(error)) return [];
    throw notRead('What is kept', folder, error);
  });
}

/** Whether a path led to nothing. */
export function isAbsent(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
