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

  /** Removes what workers left that are no more. @returns of how many. */
  sweep(): number {
    const left = leftBehind(this.folder);
    for (const { folder } of left) rmSync(folder, { recursive: true, force: true });
    return left.length;
  }

  /** Removes what this worker still has. */
  close(): void {
    rmSync(this.own, { recursive: true, force: true });
  }
}
