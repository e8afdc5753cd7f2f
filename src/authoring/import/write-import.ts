import { randomUUID } from 'node:crypto';
import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { AbilityError } from '../../contracts/problem.js';
import { isInside } from '../../definitions/read-files.js';
import { importsFolder } from '../../definitions/read-imports.js';
import type { FileWrite, PlannedImport } from './planned-import.js';

/** Begins the name of the folder in which files are made ready. */
const STAGING = '.writing-';

/**
 * Writes what was planned: all files or none.
 *
 * Files are made ready beside the registry and then moved into place; where one cannot be, what was moved is taken back.
 * After a crash in between, the same import again does the rest. One import at a time; the caller sees to it.
 *
 * @throws AbilityError `import.write_failed`; nothing was changed.
 */
export function writeImport({ root, writes }: Pick<PlannedImport, 'root' | 'writes'>): void {
  const undo: (() => void)[] = [];
  try {
    removeLeft(root);
    if (writes.length === 0) return;
    makeFolders(root, writes, undo);
    const staging = join(importsFolder(root), `${STAGING}${randomUUID()}`);
    mkdirSync(staging);
    undo.push(() => rmSync(staging, { recursive: true, force: true }));
    const staged = writes.map((write, index) => stage(write, join(staging, String(index))));
    for (const [index, write] of writes.entries()) move(root, write, staged[index] as string, undo);
    rmSync(staging, { recursive: true, force: true });
  } catch (error) {
    const left = undo.reverse().flatMap(attempt);
    throw failed(error, left);
  }
}

/** A folder that is not in the project, whatever its path says. */
class LeadsOut extends Error {}

/** @throws LeadsOut where a folder lies outside the project, by a link. */
function makeFolders(root: string, writes: FileWrite[], undo: (() => void)[]): void {
  const folders = new Set([importsFolder(root), ...writes.map(({ path }) => dirname(path))]);
  for (const folder of folders) {
    const first = mkdirSync(folder, { recursive: true });
    if (first !== undefined) undo.push(() => removeEmpty(folder, first));
    if (!isInside(realpathSync(root), realpathSync(folder))) {
      throw new LeadsOut(`${relative(root, folder)} is a link that leads out of the project`);
    }
  }
}

/** What killed imports made ready. */
function removeLeft(root: string): void {
  const folder = importsFolder(root);
  if (!existsSync(folder)) return;
  const left = readdirSync(folder).filter((name) => name.startsWith(STAGING));
  for (const name of left) rmSync(join(folder, name), { recursive: true, force: true });
}

/** @returns the path of the file as it will be. */
function stage({ path, text, before }: FileWrite, at: string): string {
  writeFileSync(at, text);
  if (before !== null) chmodSync(at, statSync(path).mode);
  return at;
}

function move(root: string, { path, before }: FileWrite, staged: string, undo: (() => void)[]): void {
  if (before === null) {
    create(staged, path);
    undo.push(() => rmSync(path));
    return;
  }
  if (readFileSync(path, 'utf8') !== before) throw new Error(`${relative(root, path)} was changed meanwhile`);
  const backup = `${staged}.before`;
  create(path, backup);
  renameSync(staged, path);
  undo.push(() => renameSync(backup, path));
}

/** A file of another name, if there is none of that name; never over one that somebody has just made. */
function create(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error;
    copyFileSync(from, to, constants.COPYFILE_EXCL);
  }
}

function removeEmpty(folder: string, first: string): void {
  for (let at = folder; at.length >= first.length; at = dirname(at)) rmdirSync(at);
}

/** @returns why a step could not be taken back. */
function attempt(step: () => void): string[] {
  try {
    step();
    return [];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}

function failed(error: unknown, left: string[]): AbilityError {
  const reason = error instanceof Error ? error.message : String(error);
  const state = left.length === 0 ? 'nothing was written' : `not all could be taken back: ${left.join('; ')}`;
  return new AbilityError(
    {
      code: 'import.write_failed',
      message: `The import could not be written, and ${state}: ${reason}`,
      suggestion:
        error instanceof LeadsOut
          ? 'Replace the link by a folder of the project, and import again.'
          : 'Make room or give the rights, and import again.',
    },
    { cause: error },
  );
}
