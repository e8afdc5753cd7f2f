import { renameSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { besidesOf, discard, inFolder } from './write-files.js';

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
