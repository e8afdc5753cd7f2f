import { randomUUID } from 'node:crypto';
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AbilityError, reasonOf } from '../contracts/problem.js';

/** Writes a file so that readers see the old content or the new, never a part. */
export function writeWhole(path: string, content: string | Uint8Array, mode?: number): void {
  const own = `${path}.${randomUUID()}`;
  try {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(own, content, { mode: mode ?? 0o666 });
    renameSync(own, path);
  } catch (error) {
    rmSync(own, { force: true });
    throw error;
  }
}

/** The JSON in a text; undefined if it is invalid. */
export function parseJson<T>(text: string): T | undefined {
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}

/** The JSON in a file; undefined if the file is missing or unreadable. */
export function readJson<T>(path: string): T | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  } catch {
    return undefined;
  }
}

export function isAbsent(error: unknown): boolean {
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** Whether an error, or its cause, means that the disk or the quota is full. */
export function isNoRoom(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as NodeJS.ErrnoException;
  return code === 'ENOSPC' || code === 'EDQUOT' || (cause !== undefined && isNoRoom(cause));
}

export function diskReason(error: unknown): string {
  return isNoRoom(error) ? 'the disk is full' : reasonOf(error);
}

/** Converts an error of the file system. @param what could not be written. */
export function asDiskError(cause: unknown, what: string): AbilityError {
  const message = `${what} could not be written: ${diskReason(cause)}`;
  const suggestion = isNoRoom(cause) ? 'Make room on the disk and run the command again.' : 'Check its permissions.';
  return new AbilityError({ code: 'runtime.failed', message, suggestion }, { cause });
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
