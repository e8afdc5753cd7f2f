import { type Dirent, existsSync, readdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { AbilityError, usageError } from '../../contracts/problem.js';
import { PROJECT_FILE } from '../../definitions/find-project.js';
import { isInside, slashedPath } from '../../disk/paths.js';

/** The name of every routing document. Source: R-000-01. */
export const DOCUMENT_NAME = 'ABILITY.md';

const DEPENDENCIES = 'node_modules';

/** Sorted, from the root, with `/`. Skips hidden folders, dependencies, nested projects, folder links. */
export function findDocuments(root: string, below = ''): string[] {
  return filesNamed(root, DOCUMENT_NAME, below);
}

/** All files of this name below a folder, under the rules of {@link findDocuments}. */
export function filesNamed(root: string, name: string, below = ''): string[] {
  const files = [...filesBelow(root, below, (folder) => entriesOf(join(root, folder)))];
  const named = files.filter(({ entry }) => entry.name === name);
  return named.map(({ path }) => path).sort();
}

interface FoundFile {
  /** Relative to the root, with `/`. */
  path: string;
  entry: Dirent;
}

/** What is no folder below a folder of the project, in the folders that {@link isOurs} lets in. */
export function* filesBelow(root: string, below: string, read: (folder: string) => Dirent[]): Generator<FoundFile> {
  for (const entry of read(below)) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (!entry.isDirectory()) yield { path, entry };
    else if (isOurs(root, path, entry.name)) yield* filesBelow(root, path, read);
  }
}

/** Whether the search for documents enters a folder. @param folder relative to the root. */
function isLookedInto(root: string, folder: string): boolean {
  const names = folder === '' ? [] : folder.split('/');
  return names.every((name, index) => isOurs(root, names.slice(0, index + 1).join('/'), name));
}

/** The entries of a folder; empty if access is denied (data of a database) or the folder was removed. */
export function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EACCES' || code === 'EPERM' || code === 'ENOENT') return [];
    throw error;
  }
}

/** Whether a folder is neither hidden, nor `node_modules`, nor a project of its own. */
function isOurs(root: string, path: string, name: string): boolean {
  return !name.startsWith('.') && name !== DEPENDENCIES && !existsSync(join(root, path, PROJECT_FILE));
}

/**
 * Documents at paths relative to `cwd`: `ABILITY.md` files, or folders with all below; without paths, all
 * documents.
 * @returns paths from the root, each once. @throws AbilityError `usage.invalid` for any other path, `docs.none`.
 */
export function selectDocuments(root: string, cwd: string, paths: readonly string[]): string[] {
  if (paths.length === 0) return findDocuments(root);
  return [...new Set(paths.flatMap((path) => documentsAt(root, resolve(cwd, path), path)))];
}

/** Paths are module folders or the files themselves, existing or not. @throws AbilityError `usage.invalid`. */
export function placesToAdd(root: string, cwd: string, paths: readonly string[]): string[] {
  if (paths.length === 0) return [DOCUMENT_NAME];
  return [...new Set(paths.map((path) => placeToAdd(root, resolve(cwd, path), path)))];
}

function documentsAt(root: string, path: string, given: string): string[] {
  if (!existsSync(path)) {
    const suggestion = `\`ability docs --add ${given}\` writes a new document.`;
    throw usageError(`There is no ${given}`, suggestion);
  }
  if (!statSync(path).isDirectory()) {
    refuseOtherNames(path, given);
    return [inProject(root, path, given)];
  }
  const found = findDocuments(root, inProject(root, path, given));
  if (found.length > 0) return found;
  const suggestion = `\`ability docs --add ${given}\` writes one.`;
  throw new AbilityError({
    code: 'docs.none',
    message: `There is no ${DOCUMENT_NAME} in ${given} or below`,
    suggestion,
  });
}

function placeToAdd(root: string, path: string, given: string): string {
  const isFolder = existsSync(path) && statSync(path).isDirectory();
  if (isFolder || !/\.[A-Za-z]+$/.test(basename(path))) return inProject(root, join(path, DOCUMENT_NAME), given);
  refuseOtherNames(path, given);
  return inProject(root, path, given);
}

function refuseOtherNames(path: string, given: string): void {
  if (basename(path) === DOCUMENT_NAME) return;
  const message = `A routing document is called ${DOCUMENT_NAME}, not ${basename(path)}`;
  throw usageError(message, `Name the folder instead of ${given}.`);
}

/** The path relative to the root, even if `path` leads through links above the project. */
function inProject(root: string, path: string, given: string): string {
  const folder = basename(path) === DOCUMENT_NAME ? dirname(path) : path;
  const real = join(realpathOfExisting(folder), relative(folder, path));
  if (!isInside(root, real)) {
    const suggestion = 'Pass --project DIR for another one.';
    throw usageError(`${given} is not in the project ${root}`, suggestion);
  }
  const found = slashedPath(root, real);
  const place = basename(path) === DOCUMENT_NAME ? found.slice(0, -DOCUMENT_NAME.length - 1) : found;
  if (isLookedInto(root, place)) return found;
  const message = `${given} is in a hidden folder, in node_modules or in another project, where this project has no pages`;
  throw usageError(message);
}

function realpathOfExisting(folder: string): string {
  if (existsSync(folder)) return realpathSync(folder);
  return join(realpathOfExisting(dirname(folder)), basename(folder));
}
