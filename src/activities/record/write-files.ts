import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes the folder only if the write fails: checking for it costs more than writing. */
export function inFolder(file: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    mkdirSync(dirname(file), { recursive: true });
    write();
  }
}

export type Content = readonly [path: string, text: string];

/**
 * Writes files off the main thread beside their places, then moves them in order once all are written: each is
 * complete or unchanged, and the last is replaced after all others. @param signal once aborted, no more are moved.
 * @throws errors of the disk, and the reason of the signal.
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

/** Makes the folder only if the write fails: checking for it costs more than writing. */
async function writeInFolder(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
  }
}
