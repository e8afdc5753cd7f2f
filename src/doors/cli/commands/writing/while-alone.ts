import { existsSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { asFailure } from '../../../../authoring/write-together.js';
import { PROJECT_FILE } from '../../../../definitions/find-project.js';
import { type HeldLock, isHeld, takeLock } from '../../../../server/processes/lock.js';
import { attempt } from '../../../../text/attempt.js';
import { Cancelled } from '../../input/ask.js';

export interface Waiting {
  /** Called once, if another command is writing. */
  note(text: string): void;
  signal: AbortSignal;
}

const LOOK_AGAIN_MS = 25;

/** @param root exists. @throws Cancelled; AbilityError `scaffold.write_failed` if it cannot write the lock. */
export async function whileAlone<T>(root: string, waiting: Waiting, action: () => Promise<T>): Promise<T> {
  const system = join(root, '.system');
  const wasThere = existsSync(system);
  const lock = await takeAuthoringLock(join(system, 'authoring.lock'), waiting);
  try {
    return await action();
  } finally {
    lock.release();
    // Removes `.system` if the folder did not become a project, and nothing else is in it.
    if (!wasThere && !existsSync(join(root, PROJECT_FILE))) attempt(() => rmdirSync(system));
  }
}

async function takeAuthoringLock(path: string, { note, signal }: Waiting): Promise<HeldLock> {
  let isReported = false;
  while (!signal.aborted) {
    const lock = tryLock(path);
    if (lock && isHeld(lock)) return lock;
    if (lock && !isReported) note(`Waiting for process ${lock.holder.pid}, which writes into this project.`);
    isReported ||= lock !== undefined;
    await sleep(LOOK_AGAIN_MS);
  }
  throw new Cancelled();
}

/** @returns undefined if another command has just removed the folder. */
function tryLock(path: string): ReturnType<typeof takeLock> | undefined {
  try {
    return takeLock(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw asFailure(path, error);
  }
}
