import { dirname, join } from 'node:path/posix';
import { isJsonObject } from '../../../contracts/json.js';
import { parseJson } from '../../../disk/read-json.js';
import { attempt } from '../../../text/attempt.js';
import type { ProjectFiles, ScriptFile } from '../script-files.js';
import type { ImportSite, ShellBase, Wanted } from './import-site.js';

/** `from` is the file that contains the import. */
interface Importing {
  main: ScriptFile;
  from: ScriptFile;
}

/** The imported files of the project, or why there are none. Undefined: not part of the project. */
export type Found = { files: ScriptFile[]; live?: boolean } | 'missing' | 'outside' | 'computed' | undefined;

export function findImported(files: ProjectFiles, { wanted }: ImportSite, importing: Importing): Found {
  switch (wanted.kind) {
    case 'computed':
      return 'computed';
    case 'module':
      return findModule(files, wanted, importing.from);
    case 'python':
      return findPython(files, wanted, importing);
    case 'sourced':
      return findSourced(files, wanted, importing);
  }
}

/** Extensions that Node tries for `require`, and TypeScript compilers also for `import`. */
const ENDINGS = ['.js', '.json', '.node', '.mjs', '.cjs', '.ts', '.mts', '.cts', '.tsx', '.jsx'];

const IS_TYPESCRIPT = /\.([cm]?ts|tsx)$/;

type WantedOf<Kind extends Wanted['kind']> = Extract<Wanted, { kind: Kind }>;

function findModule(files: ProjectFiles, { specifier, by }: WantedOf<'module'>, from: ScriptFile): Found {
  if (specifier.startsWith('/') || specifier.startsWith('file:')) return 'outside';
  if (/^\.\.?(\/|$)/.test(specifier)) {
    const wanted = specifier.split(/[?#]/, 1)[0] ?? '';
    const path = join(
      dirname(from.real),
      by === 'import' ? attempt(() => decodeURIComponent(wanted), wanted) : specifier,
    );
    const isGuessed = by === 'require' || IS_TYPESCRIPT.test(from.path);
    return firstOf(files, isGuessed ? guesses(files, path) : [path]);
  }
  const nearest = nearestPackage(files, from.real);
  if (!nearest) return specifier.startsWith('#') ? 'missing' : undefined;
  const { folder, name, imports, exports } = nearest;
  const isOwn = name !== undefined && (specifier === name || specifier.startsWith(`${name}/`));
  const listed = specifier.startsWith('#')
    ? mapped(imports, specifier)
    : isOwn && exports !== undefined
      ? mapped(exports, `.${specifier.slice(name.length)}`)
      : [];
  const found = listed.map((path) => files.read(join(folder, path))).filter((file) => typeof file !== 'string');
  if (found.length > 0) return { files: found };
  return listed.length > 0 ? 'missing' : undefined;
}

function guesses(files: ProjectFiles, path: string): string[] {
  const main = readPackage(files, path)?.main;
  const folders = [...(main === undefined ? [] : [join(path, main)]), join(path, 'index')];
  const typed = path.replace(/\.([cm]?)js$/, '.$1ts');
  return [path, typed, ...[path, ...folders].flatMap((base) => [base, ...ENDINGS.map((end) => base + end)])];
}

function firstOf(files: ProjectFiles, paths: readonly string[]): Found {
  let why: Found = 'missing';
  for (const path of paths) {
    const file = files.read(path);
    if (typeof file !== 'string') return { files: [file, ...packageBetween(files, file)] };
    if (file !== 'missing') why = 'outside';
  }
  return why;
}

/** The `package.json` that may have redirected a `require` to this file. */
function packageBetween(files: ProjectFiles, { real }: ScriptFile): ScriptFile[] {
  const nearest = nearestPackage(files, real);
  return nearest ? [nearest.file] : [];
}

/** Looks beside the main script, or for `from .` beside the importing file; others are installed modules. */
function findPython(
  files: ProjectFiles,
  { level, module, names }: WantedOf<'python'>,
  { main, from }: Importing,
): Found {
  const up = Array.from({ length: Math.max(0, level - 1) }, () => '..');
  const base = level === 0 ? dirname(main.real) : join(dirname(from.real), ...up);
  const parts = module === '' ? [] : module.split('.');
  const found: ScriptFile[] = [];
  const add = (path: string): boolean => {
    const file = files.read(path);
    if (typeof file === 'string') return false;
    found.push(file);
    return true;
  };
  if (level > 0) add(join(base, '__init__.py'));
  let at = base;
  let isFound = parts.length === 0;
  for (const part of parts) {
    at = join(at, part);
    isFound = [`${at}.py`, `${at}/__init__.py`].filter(add).length > 0;
  }
  const inner = names.filter((name) => [`${at}/${name}.py`, `${at}/${name}/__init__.py`].filter(add).length > 0);
  if (found.length > 0 && (isFound || inner.length > 0)) return { files: found };
  return level > 0 ? (inner.length > 0 ? { files: found } : 'missing') : undefined;
}

/** A path without a folder variable is relative to the working directory, the project root. */
function findSourced(files: ProjectFiles, { base, path }: WantedOf<'sourced'>, { main, from }: Importing): Found {
  const folders: Record<ShellBase, string> = {
    main: dirname(main.path),
    file: dirname(from.path),
    root: '',
    pinned: '',
  };
  if (path.startsWith('/')) return 'outside';
  const file = files.read(join(folders[base], path));
  if (typeof file !== 'string') return { files: [file], ...(base === 'root' && { live: true }) };
  if (file !== 'missing') return 'outside';
  // A bare name may be in PATH.
  return base === 'root' && !path.includes('/') ? undefined : 'missing';
}

interface PackageFile {
  file: ScriptFile;
  /** Relative to the project root; empty for the root. */
  folder: string;
  name: string | undefined;
  /** In any form that Node accepts, as is `exports`. */
  imports: unknown;
  exports: unknown;
  main: string | undefined;
}

/** The nearest `package.json` above a file, not above the project root. */
export function nearestPackage(files: ProjectFiles, real: string): PackageFile | undefined {
  for (let folder = dirname(real); ; folder = dirname(folder)) {
    const own = folder === '.' ? '' : folder;
    const found = readPackage(files, own);
    if (found) return found;
    if (own === '') return undefined;
  }
}

/** The `package.json` of a folder, with all fields undefined if it is not valid JSON. */
function readPackage(files: ProjectFiles, folder: string): PackageFile | undefined {
  const file = files.read(folder === '' ? 'package.json' : `${folder}/package.json`);
  if (typeof file === 'string') return undefined;
  const read = parseJson<unknown>(file.bytes?.toString('utf8') ?? '');
  const value: Record<string, unknown> = isJsonObject(read) ? read : {};
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

/** All targets of a key in `imports` or `exports`, under any condition; relative to the package. */
function mapped(map: unknown, key: string): string[] {
  const table: Record<string, unknown> =
    isJsonObject(map) && Object.keys(map).some((name) => /^[.#]/.test(name)) ? map : { '.': map };
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
  return isJsonObject(target) ? Object.values(target).flatMap((item) => targets(item, star)) : [];
}
