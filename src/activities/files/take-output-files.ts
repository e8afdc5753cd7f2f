import { constants } from 'node:fs';
import { type FileHandle, lstat, open, opendir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { type FileValue, MAX_FILES_OF_CALL, type PlanOutputFile } from '../../contracts/files.js';
import { reasonOf } from '../../contracts/problem.js';
import { CallFailure } from '../call/call-failure.js';
import type { CallFiles } from './call-files.js';
import { type Entry, takeChosen } from './choose-files.js';

/**
 * Keeps a script's output files. Only plain files count: a link could lead to a file that the script was not
 * given, and other kinds have no end. @throws CallFailure `file.missing`, `file.too_large`.
 */
export async function takeOutputFiles(
  folder: string,
  contract: Readonly<Record<string, PlanOutputFile>>,
  files: CallFiles,
): Promise<void> {
  const found = await listFolder(folder);
  await takeChosen(contract, found, files, ({ path }) => keep(folder, path, files));
}

/** Damage in the folder, such as a file name that is not text, is the script's fault, not ours. */
async function listFolder(folder: string): Promise<Entry[]> {
  try {
    const isFolder = (await lstat(folder)).isDirectory();
    if (isFolder) return await listEntries(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error instanceof CallFailure ? error : unreadable('{output_dir}', error);
  }
  throw unreadable('{output_dir}', new Error('it is no folder any more'));
}

/** Everything in a folder and below, without following links. */
async function listEntries(folder: string, prefix = ''): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of await opendir(join(folder, prefix))) {
    const path = prefix + entry.name;
    if (entry.isDirectory()) entries.push(...(await listEntries(folder, `${path}/`)));
    else entries.push({ path, isFile: entry.isFile() });
    if (entries.length > MAX_FILES_OF_CALL) {
      throw new CallFailure({
        code: 'file.too_large',
        message: `The call left more than ${MAX_FILES_OF_CALL} files`,
        suggestion: 'Pack them into one archive.',
      });
    }
  }
  return entries.sort((one, other) => (one.path < other.path ? -1 : 1));
}

function keep(folder: string, path: string, files: CallFiles): Promise<FileValue> {
  return files.keep(async () => (await openPlain(folder, path)).createReadStream(), { name: basename(path) });
}

/** Opens a path that was a plain file before, but may have become a link or an endless device. */
async function openPlain(folder: string, path: string): Promise<FileHandle> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
  const file = await open(join(folder, path), flags).catch((error: unknown) => {
    throw unreadable(path, error);
  });
  if ((await file.stat()).isFile()) return file;
  await file.close();
  throw unreadable(path, new Error('it is no plain file any more'));
}

function unreadable(path: string, cause: unknown): CallFailure {
  const { code } = cause as NodeJS.ErrnoException;
  const reason = code ?? reasonOf(cause);
  return new CallFailure(
    {
      code: 'file.missing',
      message: `${path}, which the call left, cannot be read: ${reason}`,
      suggestion: 'Write regular files into {output_dir}, with names in UTF-8, that the worker can read.',
    },
    { cause },
  );
}
