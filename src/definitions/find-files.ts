import { existsSync, readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { distance } from 'fastest-levenshtein';
import type { Problem } from '../contracts/problem.js';
import { didYouMean } from '../rules/nearest.js';
import type { ProjectFolders } from './find-project.js';
import type { FileKindName } from './registry.js';

/** The folders of a registry. */
const KINDS: readonly FileKindName[] = ['low-level', 'high-level', 'implementations', 'config', 'hooks'];

/** Letters a mistyped name may differ in. */
const MOST_SLIPS = 2;

/** Holds the JSON Schemas that editors read. Source: design, section 4. */
const SCHEMAS = 'schemas';

/** The files of a registry by kind, each kind sorted by path. */
export function definitionFiles({ registry, hooks }: ProjectFolders): { kind: FileKindName; path: string }[] {
  return KINDS.flatMap((kind) =>
    yamlFilesIn(kind === 'hooks' ? hooks : join(registry, kind)).map((path) => ({ kind, path })),
  );
}

/** YAML that lies in a registry where nothing reads it; `kind` is what it was meant for, where a name is that near. */
export function misplacedFiles(folders: ProjectFolders): { kind: FileKindName | undefined; problem: Problem }[] {
  const { registry, root } = folders;
  if (!existsSync(registry)) return [];
  const read: string[] = KINDS.filter((kind) => kind !== 'hooks' || folders.hooks === join(registry, kind));
  return readdirSync(registry, { withFileTypes: true }).flatMap((entry) => {
    const { name } = entry;
    const isFolder = entry.isDirectory();
    if (isFolder ? isExpected(name, read, join(registry, name)) : !isYaml(name)) return [];
    const file = relative(root, join(registry, name));
    const message = isFolder ? `Nothing reads the definitions in ${file}/` : `Nothing reads ${file}`;
    const moved = read.includes('hooks')
      ? undefined
      : `Hooks of this project stand in ${relative(root, folders.hooks)}/.`;
    const suggestion =
      (name === 'hooks' ? moved : isFolder ? didYouMean(name, read) : undefined) ??
      `Definitions stand in ${read.join('/, ')}/.`;
    // `hook` may hold guards that somebody counts on; `hooks-old` was put aside.
    const kind = isFolder ? KINDS.find((known) => distance(name, known) <= MOST_SLIPS) : undefined;
    return [
      {
        kind,
        problem: { code: 'definition.unread', message, suggestion, location: { file } },
      },
    ];
  });
}

function isExpected(name: string, read: readonly string[], path: string): boolean {
  return name.startsWith('.') || name === SCHEMAS || read.includes(name) || yamlFilesIn(path).length === 0;
}

/** YAML files under a folder and its subfolders, sorted by path, so that their order is the same everywhere. */
export function yamlFilesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  const files: string[] = [];
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      if (!entry.name.startsWith('.')) files.push(...yamlFilesIn(path));
    } else if (isYaml(entry.name)) files.push(path);
  }
  return files.sort();
}

function isYaml(name: string): boolean {
  return /\.ya?ml$/.test(name);
}
