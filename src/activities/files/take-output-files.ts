import { constants } from 'node:fs';
import { lstat, open, opendir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { type FileValue, MOST_FILES_OF_CALL, type PlanOutputFile } from '../../contracts/files.js';
import { CallFailure } from '../call-failure.js';
import type { CallFiles } from './call-files.js';
import { type Entry, takeChosen } from './choose-files.js';

/**
 * Keeps the files that a script has written, as its contract names them.
 *
 * Only plain files count: a link could lead to what the script was not given, and anything else has no end.
 *
 * @param folder that the script wrote into. @throws CallFailure `file.missing`, `file.too_large`.
 */
export async function takeOutputFiles(
  folder: string,
  contract: Readonly<Record<string, PlanOutputFile>>,
  files: CallFiles,
): Promise<void> {
  const isFolder = (await lstat(folder).catch(() => undefined))?.isDirectory() ?? false;
  const found = isFolder ? await listEntries(folder) : [];
  await takeChosen(contract, found, files, ({ path }) => keep(folder, path, files));
}

/** What is in a folder and below, links not followed. */
async function listEntries(folder: string, prefix = ''): Promise<Entry[]> {
  const entries: Entry[] = [];
  for await (const entry of await opendir(join(folder, prefix))) {
    const path = prefix + entry.name;
    if (entry.isDirectory()) entries.push(...(await listEntries(folder, `${path}/`)));
    else entries.push({ path, isFile: entry.isFile() });
    if (entries.length > MOST_FILES_OF_CALL) {
      throw new CallFailure({
        code: 'file.too_large',
        message: `The call left more than ${MOST_FILES_OF_CALL} files`,
        suggestion: 'Pack them into one archive.',
      });
    }
  }
  return entries.sort((one, other) => (one.path < other.path ? -1 : 1));
}

function keep(folder: string, path: string, files: CallFiles): Promise<FileValue> {
  // Looked at above, and not to be a link by now.
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW;
  const source = async (): Promise<Readable> => (await open(join(folder, path), flags)).createReadStream();
  return files.keep(source, { name: basename(path) });
}
