import { existsSync, rmdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { asFailure } from '../../../../authoring/write-together.js';
import { PROJECT_FILE } from '../../../../definitions/find-project.js';
import { type HeldLock, isHeld, takeLock } from '../../../../server/processes/lock.js';
import { Cancelled } from '../../input/ask.js';

/** Whoever waits for other commands to end. */
export interface Waiting {
  /** Told once, when another command is at work. */
  note(text: string): void;
  /** Ends the waiting. */
  signal: AbortSignal;
}

/** Writing takes milliseconds. */
const LOOK_AGAIN_MS = 25;

/**
 * Does something to the files of a project while no other command writes them.
 *
 * @param root the folder of the project, or of one that is being made; it exists.
 * @throws Cancelled when the waiting is ended; AbilityError `scaffold.write_failed` where not even the lock can be written.
 */
export async function whileAlone<T>(root: string, waiting: Waiting, action: () => Promise<T>): Promise<T> {
  const system = join(root, '.system');
  const wasThere = existsSync(system);
  const lock = await takeAuthoringLock(join(system, 'authoring.lock'), waiting);
  try {
    return await action();
  } finally {
    lock.release();
    // A folder that did not become a project keeps nothing of ours.
    if (!wasThere && !existsSync(join(root, PROJECT_FILE))) removeIfEmpty(system);
  }
}

async function takeAuthoringLock(path: string, { note, signal }: Waiting): Promise<HeldLock> {
  let isTold = false;
  while (!signal.aborted) {
    const lock = tryLock(path);
    if (lock && isHeld(lock)) return lock;
    if (lock && !isTold) note(`Waiting for process ${lock.holder.pid}, which writes into this project.`);
    isTold ||= lock !== undefined;
    await sleep(LOOK_AGAIN_MS);
  }
  throw new Cancelled();
}

/** @returns undefined where another command has just given up and removed the folder. */
function tryLock(path: string): ReturnType<typeof takeLock> | undefined {
  try {
    return takeLock(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw asFailure(path, error);
  }
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // Something is in it, or it is gone.
  }
}
