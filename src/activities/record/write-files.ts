import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes a file, and makes its folder only where there is none: to ask for one that is there costs more than to write. */
export function inFolder(file: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    mkdirSync(dirname(file), { recursive: true });
    write();
  }
}

/** A file and what is to stand in it. */
export type Content = readonly [path: string, text: string];

/**
 * Writes files beside their places, off the main thread, and moves them there once all are written, in their order: each
 * is there as a whole or as it was before, and the last one only where all others are.
 *
 * @param signal once it is aborted, nothing is moved. @throws what the disk says, and the reason of the signal.
 */
export async function writeTogether(files: readonly Content[], signal?: AbortSignal): Promise<void> {
  const mark = randomUUID();
  const besides = (path: string): string => `${path}.${mark}`;
  try {
    const written = await Promise.allSettled(files.map(([path, text]) => writeInFolder(besides(path), text)));
    for (const one of written) if (one.status === 'rejected') throw one.reason;
    for (const [path] of files) {
      signal?.throwIfAborted();
      await rename(besides(path), path);
    }
  } catch (error) {
    await Promise.allSettled(files.map(([path]) => rm(besides(path), { force: true })));
    throw error;
  }
}

/** Makes the folder of a file only where there is none: to ask for one that is there costs more than to write. */
async function writeInFolder(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}
