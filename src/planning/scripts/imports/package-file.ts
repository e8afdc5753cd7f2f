import { dirname } from 'node:path/posix';
import type { ProjectFiles, ScriptFile } from '../script-files.js';

/** What Node asks a `package.json` about when it reads a module. */
export interface PackageFile {
  file: ScriptFile;
  /** Its folder, relative to the project root; empty for the root. */
  folder: string;
  name: string | undefined;
  /** `imports` and `exports`, of whatever form. */
  imports: unknown;
  exports: unknown;
  main: string | undefined;
}

/** The nearest `package.json` of a file, which decides how Node reads it; none above the project root is looked at. */
export function nearestPackage(files: ProjectFiles, real: string): PackageFile | undefined {
  for (let folder = dirname(real); ; folder = dirname(folder)) {
    const own = folder === '.' ? '' : folder;
    const found = readPackage(files, own);
    if (found) return found;
    if (own === '') return undefined;
  }
}

/** The `package.json` of a folder. One that is no JSON has its bytes and nothing else. */
export function readPackage(files: ProjectFiles, folder: string): PackageFile | undefined {
  const file = files.read(folder === '' ? 'package.json' : `${folder}/package.json`);
  if (typeof file === 'string') return undefined;
  const value = parse(file.bytes);
  const { name, main } = value;
  return {
    file,
    folder,
    name: typeof name === 'string' ? name : undefined,
    imports: value.imports,
    exports: value.exports,
    main: typeof main === 'string' ? main : undefined,
  };
}

function parse(bytes: Buffer | undefined): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(bytes?.toString('utf8') ?? '');
    return isMap(value) ? value : {};
  } catch {
    return {};
  }
}

/** The files, relative to the package, that a map of `imports` or `exports` gives for a key, under any condition. */
export function mapped(map: unknown, key: string): string[] {
  const table = isMap(map) && Object.keys(map).some((name) => /^[.#]/.test(name)) ? map : { '.': map };
  if (Object.hasOwn(table, key)) return targets(table[key], '');
  for (const [pattern, target] of Object.entries(table)) {
    const [head = '', tail] = pattern.split('*');
    if (tail === undefined || !key.startsWith(head) || !key.endsWith(tail)) continue;
    if (key.length >= head.length + tail.length)
      return targets(target, key.slice(head.length, key.length - tail.length));
  }
  return [];
}

function targets(target: unknown, star: string): string[] {
  if (typeof target === 'string') return target.startsWith('./') ? [target.replaceAll('*', star)] : [];
  if (Array.isArray(target)) return target.flatMap((item) => targets(item, star));
  return isMap(target) ? Object.values(target).flatMap((item) => targets(item, star)) : [];
}

function isMap(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
