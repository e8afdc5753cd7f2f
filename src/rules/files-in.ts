import { type FileValue, isFileValue } from '../contracts/files.js';
import type { Json } from '../contracts/json.js';

/** A file in a value, and where: keys and indexes joined by dots. */
export interface FoundFile {
  at: string;
  file: FileValue;
}

/** All files in a value, in the order in which they stand there; however deep it is nested. */
export function filesIn(value: Json): FoundFile[] {
  const found: FoundFile[] = [];
  const open: { value: Json; at: string }[] = [{ value, at: '' }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value: here, at } = next;
    if (here === null || typeof here !== 'object') continue;
    if (isFileValue(here)) found.push({ at, file: here });
    else {
      const inner = Object.entries(here).map(([key, item]) => ({ value: item, at: at === '' ? key : `${at}.${key}` }));
      for (const item of inner.reverse()) open.push(item);
    }
  }
  return found;
}

/** How much room files take: those with the same bytes once. */
export function bytesOfFiles(files: Iterable<FileValue>): number {
  const sizes = new Map<string, number>();
  for (const { $file, bytes } of files) sizes.set($file, bytes);
  return [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
}
