import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { CallFolders } from '../activities/files/file-store.js';
import { leftBehind, ownName } from './worker-name.js';

/**
 * Folders of calls, inside one folder per worker, so that those of a killed worker are found. They are in
 * `.system`: on a disk with room for files, and not among the sources of the project.
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

  close(): void {
    remove(this.own);
  }
}

/** Ignores failures: a script may leave an inaccessible folder, which must not prevent a start or end. */
function remove(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {}
}
