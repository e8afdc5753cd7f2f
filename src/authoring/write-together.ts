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
import { basename, dirname, join, posix } from 'node:path';
import { AbilityError, reasonOf } from '../contracts/problem.js';
import { FORMATS, type FormatName } from '../definitions/schemas/schema-files.js';
import { isInside } from '../disk/paths.js';
import { attempt } from '../text/attempt.js';

export interface Written {
  created: string[];
  changed: string[];
  /** Restores everything, including folders. */
  undo(): void;
}

interface Staged {
  file: PlannedFile;
  target: string;
  temporary: string;
}

type Undo = () => void;

/** Gives a file a second name, which must not exist, as `linkSync` does. */
type Link = (from: string, to: string) => void;

/**
 * Writes several files, all or none. Each is first written under another name, so that a full disk or a missing
 * permission shows before anything appears. A new file never replaces an existing one, a changed one only if it
 * still holds what it held when the change was planned. The caller holds the project's lock, so that no other
 * command writes meanwhile. @param root existing folder that paths are relative to, and that none leads out of.
 * @param link for tests, as without hard links. @throws AbilityError `scaffold.exists` with the list,
 * `scaffold.changed`, `scaffold.write_failed`; nothing is left then.
 */
export function writeTogether(root: string, files: readonly PlannedFile[], link: Link = linkSync): Written {
  refuseExisting(root, files);
  const undos: Undo[] = [];
  const undo = (): string[] => undos.splice(0).reverse().flatMap(whyFailed);
  let at = '';
  try {
    const real = realpathSync(root);
    const staged = files.map((file) => {
      at = file.path;
      return stage(real, file, undos);
    });
    for (const each of staged) {
      at = each.file.path;
      undos.push(put(each, link));
    }
    for (const { temporary } of staged) rmSync(temporary, { force: true });
  } catch (error) {
    throw asFailure(at, error, undo());
  }
  const named = (isNew: boolean): string[] => {
    return files.filter(({ before }) => (before === undefined) === isNew).map(({ path }) => path);
  };
  return { created: named(true), changed: named(false), undo };
}

/** {@link writeTogether} for a command that reports each write failure under one code of its own. */
export function writeTogetherOr(code: string, root: string, files: readonly PlannedFile[]): Written {
  try {
    return writeTogether(root, files);
  } catch (error) {
    throw error instanceof AbilityError ? new AbilityError({ ...error.toProblem(), code }, { cause: error }) : error;
  }
}

/** Converts an error of the file system. @param left why some of the written files could not be undone. */
export function asFailure(path: string, error: unknown, left: readonly string[] = []): AbilityError {
  if (error instanceof AbilityError && left.length === 0) return error;
  const { code = '' } = error as NodeJS.ErrnoException;
  const reasons: Record<string, [string, string]> = {
    ENOSPC: ['the disk is full', 'Make room and do it again.'],
    EDQUOT: ['the quota of the disk is used up', 'Make room and do it again.'],
    EFBIG: ['files may not be that large here', 'Raise the limit (`ulimit -f`) and do it again.'],
    EACCES: ['the folder may not be written to', 'Correct its permissions and do it again.'],
    EPERM: ['the folder may not be written to', 'Correct its permissions and do it again.'],
    EROFS: ['the disk can only be read', 'Do it where files can be written.'],
    EISDIR: ['a folder is where a file belongs', 'Rename that folder and do it again.'],
    ENOTDIR: ['a file is where a folder belongs', 'Rename that file and do it again.'],
  };
  const [reason, suggestion] = reasons[code] ?? [reasonOf(error), undefined];
  const state = left.length === 0 ? 'so nothing was written' : `and not all could be undone (${left.join('; ')})`;
  return new AbilityError(
    {
      code: 'scaffold.write_failed',
      message: `${path} could not be written, ${state}: ${reason}`,
      location: { file: path },
      suggestion,
    },
    { cause: error },
  );
}

function refuseExisting(root: string, files: readonly PlannedFile[]): void {
  const there = files.filter(({ path, before }) => before === undefined && isThere(join(root, path)));
  if (there.length === 0) return;
  const list = there.map(({ path }) => path);
  throw new AbilityError({
    code: 'scaffold.exists',
    message: `${list.join(', ')} ${list.length === 1 ? 'exists' : 'exist'} already, so nothing was written`,
    details: { files: list },
    suggestion: 'Choose another name, or move the files away.',
  });
}

/** Whether the path exists, even as a dangling link. */
export function isThere(path: string): boolean {
  // Writing the file reports an obstacle.
  return attempt(() => lstatSync(path, { throwIfNoEntry: false }) !== undefined, false);
}

function stage(root: string, file: PlannedFile, undos: Undo[]): Staged {
  const path = join(root, file.path);
  const folder = dirname(path);
  makeFolders(root, folder, file.path, undos);
  // Changes the target of a link, which stays a link.
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
    location: { file: path },
    suggestion: 'Replace the link with a folder of the project.',
  });
}

/** Moves a staged file to its target. @returns how to undo that. */
function put({ file, target, temporary }: Staged, link: Link): Undo {
  const { before, path } = file;
  if (before === undefined) {
    try {
      nameExclusively(temporary, target, link);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      throw new AbilityError({
        code: 'scaffold.exists',
        message: `${path} was just made by another program, so nothing was written`,
        location: { file: path },
      });
    }
    return () => rmSync(target, { force: true });
  }
  if (readFileSync(target, 'utf8') !== before) {
    throw new AbilityError({
      code: 'scaffold.changed',
      message: `${path} was changed meanwhile, so nothing was written`,
      location: { file: path },
      suggestion: 'Do it again.',
    });
  }
  const { mode } = statSync(target);
  const replace = (): void => {
    chmodSync(temporary, mode);
    renameSync(temporary, target);
  };
  replace();
  return () => {
    writeFileSync(temporary, before);
    replace();
  };
}

/** Never replaces a file, unlike a rename; without hard links, the copy is visible before it is complete. */
function nameExclusively(from: string, to: string, link: Link): void {
  try {
    link(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') throw error;
    copyFileSync(from, to, constants.COPYFILE_EXCL);
  }
}

/** @returns the reason if undoing failed. */
function whyFailed(step: Undo): string[] {
  try {
    step();
    return [];
  } catch (error) {
    return [reasonOf(error)];
  }
}

export interface PlannedFile {
  /** Relative to the root, with forward slashes. */
  path: string;
  content: string;
  /** Content when planned; absent: the file did not exist, and must not exist when it is written. */
  before?: string;
}

/** Collects planned files that belong together: new ones, and changes of existing ones. */
export class FileDraft {
  private readonly planned = new Map<string, PlannedFile>();

  constructor(private readonly root: string) {}

  /** Adds a file that must not exist yet. */
  add(path: string, content: string): void {
    this.planned.set(path, { path, content });
  }

  /** Changes a file. @param beginning the text to change if the file does not exist. */
  edit(path: string, beginning: string, change: (text: string) => string): void {
    const known = this.planned.get(path);
    const before = known ? known.before : this.read(path);
    const content = change(known?.content ?? before ?? beginning);
    this.planned.set(path, { path, content, ...(before !== undefined && { before }) });
  }

  /** The changed files, in the order in which they were first named. */
  files(): PlannedFile[] {
    return [...this.planned.values()].filter(({ content, before }) => content !== before);
  }

  /** @throws AbilityError `scaffold.write_failed` if the path is no file or cannot be read. */
  private read(path: string): string | undefined {
    const file = join(this.root, path);
    try {
      return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
    } catch (error) {
      throw asFailure(path, error);
    }
  }
}

/** Folder of the JSON Schemas for a project's files. */
export function schemaFolder(registry: string): string {
  return `${registry}/schemas`;
}

/** First line of a scaffolded YAML file, which names its schema. @param file `path` and `registry`: from the root. */
export function schemaLine({ kind, path, registry }: { kind: FormatName; path: string; registry: string }): string {
  const schema = `${schemaFolder(registry)}/${FORMATS[kind].file}`;
  return `# yaml-language-server: $schema=${posix.relative(posix.dirname(path), schema)}`;
}
