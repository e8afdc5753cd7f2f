import { type Dirent, lstatSync, readdirSync, realpathSync, type Stats, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { distance } from 'fastest-levenshtein';
import type { Problem } from '../contracts/problem.js';
import { isInside } from '../disk/paths.js';
import { attempt } from '../text/attempt.js';
import { didYouMean } from '../text/nearest.js';
import { MODULES, type ProjectFolders } from './find-project.js';
import type { FileKindName } from './registry.js';

const KINDS = ['low-level', 'high-level', 'implementations', 'config', 'hooks', 'modules'] as const;

type FolderKind = (typeof KINDS)[number];

/** In `config`, the file with handlers of hooks; read before the hooks. Source: R-002-12. */
const HOOKS_IMPL = /^hooks_impl\.ya?ml$/;

/** Files that lie directly in a registry. Source: R-004-13, R-004-14; C-48. */
const FILES = { 'capabilities.yaml': 'capabilities', 'packs.yaml': 'packs' } as const;

const MAX_TYPOS = 2;

/** The folder of JSON Schemas for editors. */
const SCHEMAS = 'schemas';

export interface DefinitionFile {
  kind: FileKindName;
  path: string;
}

/** A file in the folders of definitions that nothing reads; `kind`: its probable kind, if known. */
export interface UnreadFile {
  kind: FileKindName | undefined;
  problem: Problem;
}

/** The files of a registry by kind, each kind sorted by path; without a pack file named by a variable. */
export function definitionFiles(folders: ProjectFolders): DefinitionFile[] {
  return findFiles(folders).files;
}

/** The files of a registry, and the unread ones in its folders; reads each folder once. */
export function findFiles(folders: ProjectFolders): { files: DefinitionFile[]; unread: UnreadFile[] } {
  const { registry, root } = folders;
  const refused: UnreadFile[] = [];
  const linked: UnreadFile[] = [];
  const files = KINDS.flatMap((kind) => {
    const folder = folderOf(kind, folders);
    const problem = refuseFolder(folder, root);
    if (problem) {
      refused.push({ kind, problem });
      return [];
    }
    const entries = [...entriesBelow(folder)];
    linked.push(...linkedFolders(entries, root).map((link) => ({ kind, problem: link })));
    return yamlAmong(entries).map((path) => ({ kind: kindOf(kind, path, folder), path }));
  });
  files.push(...singleFiles(registry));
  const whole = refuseFolder(registry, root);
  // The refused folder may hold guards.
  const unreadable: UnreadFile[] = whole ? [{ kind: 'hooks', problem: whole }] : refused;
  return { files, unread: [...unreadable, ...misplacedFiles(folders), ...linked] };
}

/** `packs.yml` counts as well; if both files exist, a pack in both is a duplicate. */
function singleFiles(registry: string): DefinitionFile[] {
  return Object.entries(FILES).flatMap(([name, kind]) => {
    const paths = [join(registry, name.replace(/yaml$/, 'yml')), join(registry, name)];
    return paths.filter(entryAt).map((path) => ({ kind, path }));
  });
}

/** The kind, or probable kind, of a file directly in a registry; undefined if no name is similar. */
function singleKind(name: string, typos: number): FileKindName | undefined {
  const plain = name.toLowerCase().replace(/\.yml$/, '.yaml');
  const near = Object.entries(FILES).find(([known]) => distance(plain, known) <= typos);
  return near?.[1];
}

function kindOf(kind: FolderKind, path: string, folder: string): FileKindName {
  return kind === 'config' && HOOKS_IMPL.test(relative(folder, path)) ? 'hooks-impl' : kind;
}

/** Modules are no part of the registry: the source stores their descriptions beside them. Source: R-002-02. */
function folderOf(kind: FolderKind, { registry, hooks, root }: ProjectFolders): string {
  if (kind === 'modules') return join(root, MODULES);
  return kind === 'hooks' ? hooks : join(registry, kind);
}

/** Unread YAML in a registry; `kind`: its probable kind, if a name is similar. */
function misplacedFiles(folders: ProjectFolders): UnreadFile[] {
  const { registry, root } = folders;
  if (!isFolder(registry)) return [];
  const read: string[] = KINDS.filter((kind) => folderOf(kind, folders) === join(registry, kind));
  return readdirSync(registry, { withFileTypes: true }).flatMap((entry) => {
    const { name } = entry;
    const folder = entry.isDirectory() || (entry.isSymbolicLink() && isFolder(join(registry, name)));
    if (folder ? isExpected(name, read, join(registry, name)) : !isYaml(name) || isSingle(name)) return [];
    const file = relative(root, join(registry, name));
    const message = folder ? `Nothing reads the definitions in ${file}/` : `Nothing reads ${file}`;
    const moved = read.includes('hooks')
      ? undefined
      : `Hooks of this project are in ${relative(root, folders.hooks)}/.`;
    const suggestion =
      (name === 'hooks' ? moved : didYouMean(name, folder ? read : Object.keys(FILES))) ??
      `Definitions are in ${read.join('/, ')}/, and in ${Object.keys(FILES).join(' and ')}.`;
    // A folder `hook` may hold guards in use; `hooks-old` was put aside on purpose.
    const kind = folder
      ? KINDS.find((known) => read.includes(known) && distance(name, known) <= MAX_TYPOS)
      : singleKind(name, MAX_TYPOS);
    return [{ kind, problem: { code: 'definition.unread', message, suggestion, location: { file } } }];
  });
}

function isSingle(name: string): boolean {
  return Object.hasOwn(FILES, name.replace(/\.yml$/, '.yaml'));
}

function isExpected(name: string, read: readonly string[], path: string): boolean {
  return name.startsWith('.') || name === SCHEMAS || read.includes(name) || yamlFilesIn(path).length === 0;
}

/** Sorted by path. Skips links to folders, which may form circles; {@link findFiles} reports them. */
export function yamlFilesIn(folder: string): string[] {
  return yamlAmong([...entriesBelow(folder)]);
}

function yamlAmong(entries: readonly Entry[]): string[] {
  return entries.flatMap(({ path, entry }) => (isYaml(entry.name) ? [path] : [])).sort();
}

/** Links to folders among definitions; they are not followed. */
function linkedFolders(entries: readonly Entry[], root: string): Problem[] {
  return entries
    .filter(({ path, entry }) => entry.isSymbolicLink() && isFolder(path))
    .map(({ path }) => {
      const file = relative(root, path);
      const message = `${file} is a link to a folder, and nothing reads the definitions in it`;
      const suggestion = 'Move the folder here, or link its files one by one.';
      return { code: 'definition.unread', message, suggestion, location: { file } };
    });
}

/** Why nothing under a folder is read; undefined if it is read, or does not exist. */
function refuseFolder(path: string, root: string): Problem | undefined {
  const refused = (what: string): Problem => {
    const file = relative(root, path);
    return { code: 'definition.invalid', message: `${file} ${what}`, location: { file } };
  };
  const entry = entryAt(path);
  if (!entry) return undefined;
  if (!entry.isDirectory() && !isFolder(path)) return refused('is no folder');
  return isInside(root, realpathSync.native(path)) ? undefined : refused('is a link that leads out of the project');
}

interface Entry {
  path: string;
  entry: Dirent;
}

/** All files below a folder, except those in hidden folders. */
function* entriesBelow(folder: string): Generator<Entry> {
  if (!isFolder(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) yield { path, entry };
    else if (!entry.name.startsWith('.')) yield* entriesBelow(path);
  }
}

/** What exists at a path, perhaps a broken link. */
function entryAt(path: string): Stats | undefined {
  // A parent is no folder, which is reported separately.
  return attempt(() => lstatSync(path, { throwIfNoEntry: false }));
}

function isFolder(path: string): boolean {
  // Throwing is slow, and most of these folders do not exist.
  return attempt(() => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false, false);
}

function isYaml(name: string): boolean {
  return /\.ya?ml$/.test(name);
}
