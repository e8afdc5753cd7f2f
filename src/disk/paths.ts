import { accessSync, constants, statSync } from 'node:fs';
import { isAbsolute, relative, sep } from 'node:path';

/** Whether a resolved path is a folder or inside it. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}

/** A path from a folder, with forward slashes, as definitions and messages name files. */
export function slashedPath(folder: string, path: string): string {
  return relative(folder, path).split(sep).join('/');
}

/** Whether this process may run a file. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
