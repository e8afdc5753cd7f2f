import { constants } from 'node:fs';
import { lstat, open, opendir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Readable } from 'node:stream';
import { type FileValue, MOST_FILES_OF_CALL, type PlanOutputFile } from '../../contracts/files.js';
import { matchesPath } from '../../rules/path-glob.js';
import { CallFailure } from '../call-failure.js';
import type { CallFiles } from './call-files.js';

/** Something in the folder of a script, by its path from there. */
interface Entry {
  path: string;
  isFile: boolean;
}

const NAMED_IN_MESSAGE = 10;

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
  const chosen = Object.entries(contract).map(([name, file]) => ({ name, file, entries: choose(name, file, found) }));
  for (const { name, file, entries } of chosen) {
    const kept: FileValue[] = [];
    for (const { path } of entries) kept.push(await keep(folder, path, files));
    files.made[name] = file.many ? kept : (kept[0] as FileValue);
  }
}

/** The entries of one name, in the order of their paths. @throws CallFailure `file.missing`. */
function choose(name: string, { glob, many }: PlanOutputFile, found: readonly Entry[]): Entry[] {
  const entries = found.filter(({ path }) => matchesPath(glob, path));
  const strange = entries.find(({ isFile }) => !isFile);
  if (strange) {
    throw missing(`\`${name}\` (${glob}) is to be a file, and ${strange.path} is a link or no plain file`, found);
  }
  if (many || entries.length === 1) return entries;
  if (entries.length === 0) throw missing(`The call left no file for \`${name}\` (${glob})`, found);
  const paths = entries.map(({ path }) => path);
  throw missing(
    `The call left ${entries.length} files for \`${name}\` (${glob}), and one was to come: ${listed(paths)}`,
    [],
  );
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

function missing(message: string, found: readonly Entry[]): CallFailure {
  const paths = found.map(({ path }) => path);
  const there = found.length === 0 ? 'The folder is empty.' : `There is ${listed(paths)}.`;
  return new CallFailure({
    code: 'file.missing',
    message: message.includes(' and one was to come') ? message : `${message}. ${there}`,
    details: { files: paths.slice(0, 100) },
    suggestion: 'Write it into {output_dir}, correct `output_files`, or write `many: true` for any number of files.',
  });
}

function listed(paths: readonly string[]): string {
  const named = paths.slice(0, NAMED_IN_MESSAGE).join(', ');
  return paths.length > NAMED_IN_MESSAGE ? `${named} and ${paths.length - NAMED_IN_MESSAGE} more` : named;
}
