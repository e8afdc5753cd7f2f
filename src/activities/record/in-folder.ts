import { mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/** Writes a file, and makes its folder only where there is none: to ask for one that is there costs more than to write. */
export function inFolder(file: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    mkdirSync(dirname(file), { recursive: true });
    write();
  }
}
