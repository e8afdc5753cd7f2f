import { relative, sep } from 'node:path';

/** A path from a folder, with forward slashes, as definitions and messages name files. */
export function slashedPath(folder: string, path: string): string {
  return relative(folder, path).split(sep).join('/');
}
