import { type FilePlace, type FileValue, isFileValue } from '../../contracts/files.js';
import type { Json } from '../../contracts/json.js';
import type { PlanOperation } from '../../contracts/plan.js';
import { kindOf } from '../../kinds/kinds.js';

/** A file in a value; `at` is its path, keys and indexes joined by dots. */
export interface FoundFile {
  at: string;
  file: FileValue;
}

/** In document order, at any depth. @param places default: any. */
export function filesIn(value: Json, places?: readonly FilePlace[]): FoundFile[] {
  const found: FoundFile[] = [];
  const open: { value: Json; path: readonly string[] }[] = [{ value, path: [] }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { value: here, path } = next;
    if (here === null || typeof here !== 'object') continue;
    if (isFileValue(here)) {
      if (!places || places.some((place) => isAt(path, place))) found.push({ at: path.join('.'), file: here });
      continue;
    }
    const inner = Object.entries(here).map(([key, item]) => ({ value: item, path: [...path, key] }));
    for (const item of inner.reverse()) open.push(item);
  }
  return found;
}

function isAt(path: readonly string[], place: FilePlace): boolean {
  for (const [index, step] of place.entries()) {
    if (typeof step === 'object' && 'deep' in step) return true;
    const key = path[index];
    if (key === undefined) return false;
    if (typeof step === 'string' ? step !== key : step.besides.includes(key)) return false;
  }
  return path.length === place.length;
}

/** The total size; files with the same content count once. */
export function bytesOfFiles(files: Iterable<FileValue>): number {
  const sizes = new Map<string, number>();
  for (const { $file, bytes } of files) sizes.set($file, bytes);
  return [...sizes.values()].reduce((sum, bytes) => sum + bytes, 0);
}

export function makesFiles(operation: Pick<PlanOperation, 'output_files' | 'implementation'> | undefined): boolean {
  if (operation === undefined) return false;
  const { output_files, implementation } = operation;
  return output_files !== undefined || kindOf(implementation).answersFile(implementation);
}
