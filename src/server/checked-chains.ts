import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** A run id as Temporal makes it; nothing else becomes the name of a file. */
const RUN_ID = /^[0-9a-f-]{36}$/i;

/**
 * The first runs of tasks that went on as new runs, as far as a worker has seen that they were tasks: an empty file each.
 *
 * A task may go on longer than Temporal keeps its first run. What cannot be written is looked at again.
 */
export class CheckedChains {
  private readonly folder: string;

  constructor(store: string) {
    this.folder = join(store, 'chains');
  }

  has(first: string): boolean {
    return RUN_ID.test(first) && existsSync(join(this.folder, first));
  }

  keep(first: string): void {
    if (!RUN_ID.test(first)) return;
    try {
      mkdirSync(this.folder, { recursive: true });
      writeFileSync(join(this.folder, first), '');
    } catch {
      // Temporal still has the run, and tells it once more.
    }
  }
}
