import { existsSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { asFailure } from '../../authoring/write-together.js';
import { PROJECT_FILE } from '../../definitions/find-project.js';
import { type HeldLock, waitForLock } from '../../server/lock.js';

/**
 * Does something to the files of a project while no other command writes them.
 *
 * @param root the folder of the project, or of one that is being made; it exists.
 * @throws AbilityError `scaffold.write_failed` where not even the lock can be written.
 */
export async function whileAlone<T>(root: string, action: () => Promise<T>): Promise<T> {
  const system = join(root, '.system');
  const wasThere = existsSync(system);
  const lock = await takeAuthoringLock(join(system, 'authoring.lock'));
  try {
    return await action();
  } finally {
    lock.release();
    // A folder that did not become a project keeps nothing of ours.
    if (!wasThere && !existsSync(join(root, PROJECT_FILE))) removeIfEmpty(system);
  }
}

async function takeAuthoringLock(path: string): Promise<HeldLock> {
  for (;;) {
    try {
      return await waitForLock(path);
    } catch (error) {
      // Another command has just given up and removed the folder.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw asFailure(path, error);
    }
  }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Something is in it, or it is gone.
  }
}
