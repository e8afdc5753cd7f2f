import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallFolders } from '../activities/files/file-store.js';
import { leftBehind, ownName } from './worker-name.js';

/**
 * Folders of calls, one folder a worker around them, so that those of a worker that was killed are found.
 *
 * They lie in `.system`, on a disk with room for files, and not among the sources of the project.
 */
export class WorkerFolders implements CallFolders {
  private readonly own: string;

  constructor(private readonly folder: string) {
    this.own = join(folder, ownName());
  }

  async open(): Promise<string> {
    const folder = join(this.own, randomUUID());
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return folder;
  }

  /** Removes leftovers of dead workers, as far as permitted. */
  sweep(): void {
    for (const { folder } of leftBehind(this.folder)) remove(folder);
  }

  /** Removes the remaining folders of this worker. */
  close(): void {
    remove(this.own);
  }
}

/** A script may have left a folder that its owner may not enter; that must not prevent a start or an end. */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {}
}
