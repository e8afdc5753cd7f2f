import { type Dirent, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { PROJECT_FILE } from '../../definitions/find-project.js';

/** What every routing document is called. Source: R-000-01. */
export const DOCUMENT_NAME = 'ABILITY.md';

/** Holds other people's projects. */
const DEPENDENCIES = 'node_modules';

/**
 * The routing documents below a folder, relative to the root of the project, with forward slashes, in order of path.
 *
 * Hidden folders, dependencies and projects within the project are left alone, and links to folders are not followed.
 */
export function findDocuments(root: string, below = ''): string[] {
  return filesNamed(root, DOCUMENT_NAME, below);
}

/** The files of a name below a folder, where {@link findDocuments} looks. */
export function filesNamed(root: string, name: string, below = ''): string[] {
  const found: string[] = [];
  for (const entry of entriesOf(join(root, below))) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.name === name && !entry.isDirectory()) found.push(path);
    else if (entry.isDirectory() && isOurs(root, path, entry.name)) found.push(...filesNamed(root, name, path));
  }
  return found.sort();
}

/** Whether documents of the project are looked for in a folder, given relative to the root. */
export function isLookedInto(root: string, folder: string): boolean {
  const names = folder === '' ? [] : folder.split('/');
  return names.every((name, index) => isOurs(root, names.slice(0, index + 1).join('/'), name));
}

/** What is in a folder; nothing of one that is not for us, such as the data of a database, or that went away meanwhile. */
export function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EACCES' || code === 'EPERM' || code === 'ENOENT') return [];
    throw error;
  }
}

/** Whether a folder is looked into: it is not hidden, and holds neither dependencies nor a project of its own. */
export function isOurs(root: string, path: string, name: string): boolean {
  return !name.startsWith('.') && name !== DEPENDENCIES && !existsSync(join(root, path, PROJECT_FILE));
}
