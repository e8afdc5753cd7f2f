import { createHash, randomUUID } from 'node:crypto';
import { constants, createReadStream, createWriteStream } from 'node:fs';
import { copyFile, link, mkdir, rm } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { TaskFile } from '../../contracts/files.js';
import { AbilityError, reasonOf, usageError } from '../../contracts/problem.js';
import { safeFileName } from '../../text/file-name.js';
import type { Connection } from '../connection/connect.js';

/** A file of a task, copied from the store to a folder. */
export interface TakenFile extends TaskFile {
  /** Absolute path of the copy. */
  path: string;
  /** The folder already contained it, with the same bytes. */
  wasThere: boolean;
}

/** Where the bytes come from, verified while they are read. */
interface FileSource {
  store: Pick<Connection['store'], 'openFile'>;
}

/** The maximum number of names to try if others exist. */
const MAX_NAMES = 10_000;

/**
 * Copies files of a task into a folder. Never overwrites: another file of the same name makes it add a number.
 * Each file is verified while read, and appears as a whole or not at all.
 * @throws AbilityError `store.not_shared` (store or file missing), `usage.invalid` (folder cannot be written).
 */
export async function takeFiles(
  { store }: FileSource,
  files: readonly TaskFile[],
  folder: string,
): Promise<TakenFile[]> {
  await mkdir(folder, { recursive: true }).catch((error: unknown) => {
    throw notWritten(folder, error);
  });
  const taken: TakenFile[] = [];
  const known = new Map<string, string>();
  for (const file of files) {
    const { $file, name } = file.file;
    const earlier = known.get(`${$file}/${name}`);
    const placed = earlier === undefined ? await take({ store }, file, folder) : { path: earlier, wasThere: true };
    known.set(`${$file}/${name}`, placed.path);
    taken.push({ ...file, ...placed });
  }
  return taken;
}

async function take(
  { store }: FileSource,
  { file: { $file, name } }: TaskFile,
  folder: string,
): Promise<{ path: string; wasThere: boolean }> {
  const own = join(folder, `.${randomUUID()}.part`);
  const source = await store.openFile($file);
  try {
    await pipeline(source, createWriteStream(own, { flags: 'wx' })).catch((error: unknown) => {
      throw error instanceof AbilityError ? error : notWritten(folder, error);
    });
    for (let number = 1; number <= MAX_NAMES; number += 1) {
      const path = join(folder, numbered(safeFileName(name), number));
      // A link fails if the file exists, so it never overwrites.
      if (await placedAt(own, path)) return { path, wasThere: false };
      if ((await digestOf(path)) === $file) return { path, wasThere: true };
    }
    throw notWritten(folder, new Error(`there are ${MAX_NAMES} files named ${name}`));
  } finally {
    await rm(own, { force: true });
  }
}

async function placedAt(own: string, path: string): Promise<boolean> {
  try {
    // Some file systems have no links; an exclusive copy fails in the same case.
    await link(own, path).catch((error: unknown) => {
      if (isThere(error)) throw error;
      return copyFile(own, path, constants.COPYFILE_EXCL);
    });
    return true;
  } catch (error) {
    if (isThere(error)) return false;
    throw notWritten(path, error);
  }
}

function isThere(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'EEXIST';
}

/** SHA-256; undefined for an unreadable file. */
async function digestOf(path: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
    return hash.digest('hex');
  } catch {
    return undefined;
  }
}

function numbered(name: string, number: number): string {
  if (number === 1) return name;
  const ending = extname(name);
  return `${name.slice(0, name.length - ending.length)}-${number}${ending}`;
}

function notWritten(place: string, cause: unknown): AbilityError {
  const reason = reasonOf(cause);
  return usageError(`${place} cannot be written: ${reason}`, undefined, cause);
}
