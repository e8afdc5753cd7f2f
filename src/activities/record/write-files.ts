import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Writes a file, and makes its folder only if missing: checking for one costs more than writing. */
export function inFolder(file: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    mkdirSync(dirname(file), { recursive: true });
    write();
  }
}

/** A file and its content. */
export type Content = readonly [path: string, text: string];

/**
 * Writes files next to their places, off the main thread, and moves them once all are written, in their order: each is
 * complete or unchanged, and the last one is replaced only after all others.
 *
 * @param signal once it is aborted, nothing is moved. @throws errors of the disk, and the reason of the signal.
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

/** Makes the folder of a file only if missing: checking for one costs more than writing. */
async function writeInFolder(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}
