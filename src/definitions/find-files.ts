import { type Dirent, lstatSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { distance } from 'fastest-levenshtein';
import type { Problem } from '../contracts/problem.js';
import { didYouMean } from '../text/nearest.js';
import { MODULES, type ProjectFolders } from './find-project.js';
import { isInside } from './read-files.js';
import type { FileKindName } from './registry.js';

/** The folders of a registry. */
const KINDS = ['low-level', 'high-level', 'implementations', 'config', 'hooks', 'modules'] as const;

type FolderKind = (typeof KINDS)[number];

/** In the folder of configurations, the file that defines handlers of hooks; read before the hooks. Source: R-002-12. */
const HOOKS_IMPL = /^hooks_impl\.ya?ml$/;

/** Files that lie directly in a registry. Source: R-004-13, R-004-14; C-48. */
const FILES = { 'capabilities.yaml': 'capabilities', 'packs.yaml': 'packs' } as const;

/** The maximum number of differing letters in a mistyped name. */
const MAX_TYPOS = 2;

/** Holds the JSON Schemas that editors read. Source: docs/definitions.md. */
const SCHEMAS = 'schemas';

/** A file of definitions. */
export interface DefinitionFile {
  kind: FileKindName;
  path: string;
}

/** A file in the folders of definitions that nothing reads; `kind` is its probable kind, if known. */
export interface UnreadFile {
  kind: FileKindName | undefined;
  problem: Problem;
}

/** The files of a registry by kind, each kind sorted by path; not the packs that are named from outside. */
export function definitionFiles(folders: ProjectFolders): DefinitionFile[] {
  return findFiles(folders).files;
}

/** The files of a registry, and the unread ones in its folders; each folder is read once. */
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
  // It may have held guards.
  const unreadable: UnreadFile[] = whole ? [{ kind: 'hooks', problem: whole }] : refused;
  return { files, unread: [...unreadable, ...misplacedFiles(folders), ...linked] };
}

/** `packs.yml` counts as well: if both files exist, a pack that both define is a duplicate. */
function singleFiles(registry: string): DefinitionFile[] {
  return Object.entries(FILES).flatMap(([name, kind]) => {
    const paths = [join(registry, name.replace(/yaml$/, 'yml')), join(registry, name)];
    return paths.filter(isThere).map((path) => ({ kind, path }));
  });
}

/** The kind of a file directly in a registry, or its intended kind; undefined if no name is similar. */
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

/** YAML in a registry where nothing reads it; `kind` is the intended kind, if a name is similar. */
function misplacedFiles(folders: ProjectFolders): UnreadFile[] {
  const { registry, root } = folders;
  if (!isFolder(registry)) return [];
  const read: string[] = KINDS.filter((kind) => folderOf(kind, folders) === join(registry, kind));
  return readdirSync(registry, { withFileTypes: true }).flatMap((entry) => {
    const { name } = entry;
    const folder = isFolder(join(registry, name));
    if (folder ? isExpected(name, read, join(registry, name)) : !isYaml(name) || isSingle(name)) return [];
    const file = relative(root, join(registry, name));
    const message = folder ? `Nothing reads the definitions in ${file}/` : `Nothing reads ${file}`;
    const moved = read.includes('hooks')
      ? undefined
      : `Hooks of this project are in ${relative(root, folders.hooks)}/.`;
    const suggestion =
      (name === 'hooks' ? moved : didYouMean(name, folder ? read : Object.keys(FILES))) ??
      `Definitions are in ${read.join('/, ')}/, and in ${Object.keys(FILES).join(' and ')}.`;
    // `hook` may hold guards that its author relies on; `hooks-old` was put aside.
    const kind = folder
      ? KINDS.find((known) => read.includes(known) && distance(name, known) <= MAX_TYPOS)
      : singleKind(name, MAX_TYPOS);
    return [
      {
        kind,
        problem: { code: 'definition.unread', message, suggestion, location: { file } },
      },
    ];
  });
}

function isSingle(name: string): boolean {
  return Object.hasOwn(FILES, name.replace(/\.yml$/, '.yaml'));
}

function isExpected(name: string, read: readonly string[], path: string): boolean {
  return name.startsWith('.') || name === SCHEMAS || read.includes(name) || yamlFilesIn(path).length === 0;
}

/**
 * YAML files under a folder and its subfolders, sorted by path, so that their order is the same everywhere.
 *
 * Links to folders are not followed, since they may lead anywhere and in circles; {@link findFiles} reports them.
 */
export function yamlFilesIn(folder: string): string[] {
  return yamlAmong([...entriesBelow(folder)]);
}

function yamlAmong(entries: readonly Entry[]): string[] {
  return entries.flatMap(({ path, entry }) => (isYaml(entry.name) ? [path] : [])).sort();
}

/** Links to folders among definitions, which nothing follows. */
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
  const file = relative(root, path);
  const refused = (what: string): Problem => {
    return { code: 'definition.invalid', message: `${file} ${what}`, location: { file } };
  };
  if (!isThere(path)) return undefined;
  if (!isFolder(path)) return refused('is no folder');
  return isInside(root, realpathSync(path)) ? undefined : refused('is a link that leads out of the project');
}

/** Something in a folder of definitions. */
interface Entry {
  path: string;
  entry: Dirent;
}

/** The contents of a folder, without folders themselves and hidden ones. */
function* entriesBelow(folder: string): Generator<Entry> {
  if (!isFolder(folder)) return;
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (!entry.isDirectory()) yield { path, entry };
    else if (!entry.name.startsWith('.')) yield* entriesBelow(path);
  }
}

/** Whether there is anything at a path, also a link to nothing. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // A parent is not a folder, which is reported itself.
    return false;
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function isYaml(name: string): boolean {
  return /\.ya?ml$/.test(name);
}
