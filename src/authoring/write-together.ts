import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { AbilityError } from '../contracts/problem.js';
import { isInside } from '../definitions/read-files.js';
import type { PlannedFile } from './planned-file.js';

/** What was written, and how to take all of it back. */
export interface Written {
  created: string[];
  changed: string[];
  /** Puts everything back as it was, folders included. */
  undo(): void;
}

/** A file under its temporary name. */
interface Staged {
  file: PlannedFile;
  target: string;
  temporary: string;
}

type Undo = () => void;

/** Gives a file a second name that must be free, as `linkSync` does. */
type Link = (from: string, to: string) => void;

/**
 * Writes several files, all of them or none.
 *
 * Each is written under another name first, so that a full disk or a missing right shows before anything appears; then
 * each gets its name. A new file never replaces one that is there, and a changed one only if it still holds what it held
 * when the change was planned. Whoever calls holds the lock of the project, so that no other command writes meanwhile.
 *
 * @param root the folder that paths are relative to, and that nothing leads out of; it exists.
 * @param link for tests, as on a file system without hard links.
 * @throws AbilityError `scaffold.exists` with the list, `scaffold.changed`, `scaffold.write_failed`; nothing is left then.
 */
export function writeTogether(root: string, files: readonly PlannedFile[], link: Link = linkSync): Written {
  refuseExisting(root, files);
  const undos: Undo[] = [];
  const undo = (): void => {
    for (const step of undos.reverse()) quietly(step);
    undos.length = 0;
  };
  let at = '';
  try {
    const staged = files.map((file) => {
      at = file.path;
      return stage(realpathSync(root), file, undos);
    });
    for (const each of staged) {
      at = each.file.path;
      undos.push(put(each, link));
    }
    for (const { temporary } of staged) rmSync(temporary, { force: true });
  } catch (error) {
    undo();
    throw asFailure(at, error);
  }
  const named = (isNew: boolean): string[] => {
    return files.filter(({ before }) => (before === undefined) === isNew).map(({ path }) => path);
  };
  return { created: named(true), changed: named(false), undo };
}

/** What the error of a file system means to whoever wanted to write. */
export function asFailure(path: string, error: unknown): AbilityError {
  if (error instanceof AbilityError) return error;
  const { code = '' } = error as NodeJS.ErrnoException;
  const reasons: Record<string, [string, string]> = {
    ENOSPC: ['the disk is full', 'Make room and do it again.'],
    EDQUOT: ['the quota of the disk is used up', 'Make room and do it again.'],
    EFBIG: ['files may not be that large here', 'Raise the limit (`ulimit -f`) and do it again.'],
    EACCES: ['the folder may not be written to', 'Mend its permissions and do it again.'],
    EPERM: ['the folder may not be written to', 'Mend its permissions and do it again.'],
    EROFS: ['the disk can only be read', 'Do it where files can be written.'],
    EISDIR: ['a folder is where a file belongs', 'Rename that folder and do it again.'],
    ENOTDIR: ['a file is where a folder belongs', 'Rename that file and do it again.'],
  };
  const [reason, suggestion] = reasons[code] ?? [error instanceof Error ? error.message : String(error), undefined];
  return new AbilityError(
    { code: 'scaffold.write_failed', message: `${path} could not be written, so nothing was: ${reason}`, suggestion },
    { cause: error },
  );
}

function refuseExisting(root: string, files: readonly PlannedFile[]): void {
  const there = files.filter(({ path, before }) => before === undefined && isThere(join(root, path)));
  if (there.length === 0) return;
  const list = there.map(({ path }) => path);
  throw new AbilityError({
    code: 'scaffold.exists',
    message: `${list.join(', ')} ${list.length === 1 ? 'is' : 'are'} there already, so nothing was written`,
    details: { files: list },
    suggestion: 'Choose another name, or move the files away.',
  });
}

/** Also a link that leads nowhere is something that is there. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    // What stands in the way is told when the file is written.
    return false;
  }
}

function stage(root: string, file: PlannedFile, undos: Undo[]): Staged {
  const path = join(root, file.path);
  const folder = dirname(path);
  makeFolders(root, folder, file.path, undos);
  // A link to a file is changed where it leads, and stays a link.
  const target = file.before === undefined ? path : realpathSync(path);
  refuseOutside(root, target, file.path);
  const temporary = join(dirname(target), `.${basename(target)}.ability-new`);
  rmSync(temporary, { force: true });
  undos.push(() => rmSync(temporary, { force: true }));
  writeFileSync(temporary, file.content, { flag: 'wx' });
  if (file.content.startsWith('#!')) chmodSync(temporary, 0o755);
  return { file, target, temporary };
}

function makeFolders(root: string, folder: string, path: string, undos: Undo[]): void {
  if (existsSync(folder)) {
    refuseOutside(root, realpathSync(folder), path);
    return;
  }
  makeFolders(root, dirname(folder), path, undos);
  mkdirSync(folder);
  undos.push(() => rmdirSync(folder));
}

function refuseOutside(root: string, real: string, path: string): void {
  if (isInside(root, real)) return;
  throw new AbilityError({
    code: 'scaffold.write_failed',
    message: `${path} would be written outside the project, through a link; nothing was written`,
    suggestion: 'Replace the link by a folder of the project.',
  });
}

/** Gives a staged file its name. @returns how to take that back. */
function put({ file, target, temporary }: Staged, link: Link): Undo {
  const { before, path } = file;
  if (before === undefined) {
    try {
      nameExclusively(temporary, target, link);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      throw new AbilityError({ code: 'scaffold.exists', message: `${path} has just come, so nothing was written` });
    }
    return () => rmSync(target, { force: true });
  }
  if (readFileSync(target, 'utf8') !== before) {
    throw new AbilityError({
      code: 'scaffold.changed',
      message: `${path} was changed by another program meanwhile, so nothing was written`,
      suggestion: 'Do it again.',
    });
  }
  chmodSync(temporary, statSync(target).mode);
  renameSync(temporary, target);
  return () => writeFileSync(target, before);
}

/**
 * Gives a file a second name that must be free. Unlike a renaming, a link never replaces anything; where the file system
 * has none, a copy that is made exclusively does not either, but is there before it is whole.
 */
function nameExclusively(from: string, to: string, link: Link): void {
  try {
    link(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error;
    copyFileSync(from, to, constants.COPYFILE_EXCL);
  }
}

function quietly(step: Undo): void {
  try {
    step();
  } catch {
    // What cannot be taken back must not hide why it was to be.
  }
}
