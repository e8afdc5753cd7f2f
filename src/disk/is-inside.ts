import { isAbsolute, relative, sep } from 'node:path';

/** Whether a resolved path is a folder or inside it. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
