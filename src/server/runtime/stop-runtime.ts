import { existsSync, readFileSync, rmSync } from 'node:fs';
import { AbilityError } from '../../contracts/problem.js';
import type { RuntimeFile } from '../../contracts/runtime.js';
import { writeWhole } from '../../disk/write-files.js';
import { attempt } from '../../text/attempt.js';
import { isHeld, livingHolder, takeLock } from '../processes/lock.js';
import { isAlive, isVisible, type ProcessMark, stopProcess } from '../processes/processes.js';
import type { ProjectPaths } from '../project-paths.js';
import { stopOrphans } from '../temporal/temporal-server.js';
import { readLivingRuntime } from './runtime-file.js';
import { runtimeElsewhere } from './unseen-runtime.js';

/** Time for running calls that must not be repeated; later they are interrupted. */
const GRACE_MS = 90_000;

/**
 * Stops the project's runtime, and a server that a killed one left; tasks are on disk and continue with the next
 * command. @returns what was stopped. @throws AbilityError `runtime.elsewhere` if it cannot be seen from here.
 */
export async function stopRuntime(paths: ProjectPaths): Promise<{ runtime: RuntimeFile | undefined; orphans: number }> {
  if (!existsSync(paths.system)) return { runtime: undefined, orphans: 0 };
  const holder = livingHolder(paths.runtimeLock);
  if (holder && !isVisible(holder)) throw runtimeElsewhere(holder);
  const runtime = readLivingRuntime(paths);
  if (runtime) {
    noteDown(paths, runtime);
    await stopProcess(runtime, GRACE_MS);
  }
  rmSync(paths.stayFile, { force: true });
  const orphans = await stopOrphansAlone(paths);
  if (runtime?.server && isAlive(runtime.server)) await stopProcess(runtime.server, GRACE_MS);
  return { runtime, orphans };
}

/** Whether `ability down` stopped a runtime; a command that only waits then does not restart it. */
export function wasStopped(paths: ProjectPaths, runtime: ProcessMark): boolean {
  return attempt(() => readFileSync(paths.downFile, 'utf8') === nameOf(runtime), false);
}

/** A failed note must not prevent stopping a runtime. */
function noteDown(paths: ProjectPaths, runtime: ProcessMark): void {
  // A waiting command then restarts it, as after a kill.
  attempt(() => writeWhole(paths.downFile, nameOf(runtime)));
}

function nameOf({ pid, started }: ProcessMark): string {
  return `${pid} ${started}`;
}

/** Needs the lock: otherwise another process may just have started a runtime, whose server is no orphan. */
async function stopOrphansAlone(paths: ProjectPaths): Promise<number> {
  const lock = takeLock(paths.runtimeLock);
  if (!isHeld(lock)) return 0;
  try {
    return await stopOrphans(paths.database);
  } finally {
    lock.release();
  }
}

export function runtimeStopped(): AbilityError {
  return new AbilityError({
    code: 'runtime.stopped',
    message: 'The runtime of this project was stopped with `ability down`; the task is on disk',
    suggestion: 'Go on with `ability task watch KEY`, which starts the runtime.',
  });
}
