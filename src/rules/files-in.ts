import { type FileValue, isFileValue } from '../contracts/files.js';
import type { Json } from '../contracts/json.js';

/** A file in a value, and where: keys and indexes joined by dots. */
export interface FoundFile {
  at: string;
  file: FileValue;
}

/** All files in a value, in the order in which they stand there. */
export function filesIn(value: Json, at = ''): FoundFile[] {
  if (value === null || typeof value !== 'object') return [];
  if (isFileValue(value)) return [{ at, file: value }];
  return Object.entries(value).flatMap(([key, item]) => filesIn(item, at === '' ? key : `${at}.${key}`));
}

/** How much room files take: those with the same bytes once. */
export function bytesOfFiles(files: Iterable<FileValue>): number {
  const sizes = new Map<string, number>();
  for (const { $file, bytes } of files) sizes.set($file, bytes);
  return [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
}
