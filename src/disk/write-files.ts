import { randomUUID } from 'node:crypto';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises';
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

export type Content = readonly [path: string, text: string];

/**
 * Up to this size together, in characters, files are written on the main thread: a trip to the thread pool costs more.
 */
const MAX_AT_ONCE = 64 * 1024;
/** Milliseconds after which a write counts as slow; for the pause, further ones leave the main thread to other work. */
const SLOW_MS = 20;
const PAUSE_MS = 60_000;
/** Records are for their owner. */
const PRIVATE = { mode: 0o600 };

/** Writes several files as one change, and remembers whether their disk is slow. */
export class FileWriter {
  private slowUntil = Number.NEGATIVE_INFINITY;

  /** @param now milliseconds of a monotonic clock. */
  constructor(private readonly now: () => number = () => performance.now()) {}

  /**
   * Writes files next to their places and moves them once all are written, in their order: each is complete or
   * unchanged, and the last one is replaced only after all others. Large files, and all while the disk is slow, are
   * written off the main thread.
   * @param signal once it is aborted, nothing is moved. @throws errors of the disk, and the reason of the signal.
   */
  async writeTogether(files: readonly Content[], signal?: AbortSignal): Promise<void> {
    const began = this.now();
    const size = files.reduce((sum, [, text]) => sum + text.length, 0);
    if (size > MAX_AT_ONCE || began < this.slowUntil) return writeInPool(files, signal);
    signal?.throwIfAborted();
    try {
      writeNow(files);
    } finally {
      const ended = this.now();
      if (ended - began > SLOW_MS) this.slowUntil = ended + PAUSE_MS;
    }
  }
}

function writeNow(files: readonly Content[]): void {
  const besides = besidesOf();
  try {
    for (const [path, text] of files) inFolder(path, () => writeFileSync(besides(path), text, PRIVATE));
    for (const [path] of files) renameSync(besides(path), path);
  } catch (error) {
    for (const [path] of files) discard(besides(path));
    throw error;
  }
}

/** A removal that fails must not hide why the write did, nor keep the other files from being removed. */
export function discard(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {
    // Left behind: its name is no record's.
  }
}

async function writeInPool(files: readonly Content[], signal: AbortSignal | undefined): Promise<void> {
  const besides = besidesOf();
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

/** The name beside a file under which its new content is first written. */
export function besidesOf(): (path: string) => string {
  const mark = randomUUID();
  return (path) => `${path}.${mark}`;
}

/** Makes the folder of a file only if missing: checking for one costs more than writing. */
async function writeInFolder(file: string, text: string): Promise<void> {
  try {
    await writeFile(file, text, PRIVATE);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, PRIVATE);
  }
}

/** Writes a file so that readers see the old content or the new, never a part. */
export function writeWhole(path: string, content: string | Uint8Array, mode?: number): void {
  const own = besidesOf()(path);
  try {
    inFolder(own, () => writeFileSync(own, content, { mode: mode ?? 0o666 }));
    renameSync(own, path);
  } catch (error) {
    discard(own);
    throw error;
  }
}

/** Error codes of file systems that cannot sync a folder: its entries are as durable as its files. */
const CANNOT_SYNC = new Set(['EINVAL', 'EISDIR', 'ENOTSUP', 'EPERM']);

/** Makes the entries of a folder durable: a file survives a power cut only once its folder is synced. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } catch (error) {
    if (!CANNOT_SYNC.has((error as NodeJS.ErrnoException).code ?? '')) throw error;
  } finally {
    await handle.close();
  }
}
