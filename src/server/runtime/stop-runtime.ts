import { existsSync, readFileSync, rmSync } from 'node:fs';
import { AbilityError } from '../../contracts/problem.js';
import type { RuntimeFile } from '../../contracts/runtime.js';
import { writeWhole } from '../disk.js';
import { isHeld, livingHolder, takeLock } from '../processes/lock.js';
import { isVisible } from '../processes/process-space.js';
import { isAlive, type ProcessMark, stopProcess } from '../processes/processes.js';
import type { ProjectPaths } from '../project-paths.js';
import { stopOrphans } from '../temporal/temporal-server.js';
import { readLivingRuntime } from './runtime-file.js';
import { runtimeElsewhere } from './unseen-runtime.js';

/** Calls that may not be repeated are let end; one that takes longer than this is broken off. */
const GRACE_MS = 90_000;

/**
 * Stops the project's runtime, and the server that a killed runtime may have left.
 *
 * Tasks are on disk and continue with the next command.
 *
 * @returns the processes that were stopped.
 * @throws AbilityError `runtime.elsewhere` if the runtime cannot be seen from here: its pid means nothing here.
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

/** Whether it was `ability down` that ended a runtime, so that a command that only waits does not start it again. */
export function wasStopped(paths: ProjectPaths, runtime: ProcessMark): boolean {
  try {
    return readFileSync(paths.downFile, 'utf8') === nameOf(runtime);
  } catch {
    return false;
  }
}

/** A failed note must not prevent stopping a runtime. */
function noteDown(paths: ProjectPaths, runtime: ProcessMark): void {
  try {
    writeWhole(paths.downFile, nameOf(runtime));
  } catch {
    // A command that waits then starts it again, as after a kill.
  }
}

function nameOf({ pid, started }: ProcessMark): string {
  return `${pid} ${started}`;
}

/** A server is an orphan only while no other process can start a runtime; a process that has just done so keeps its own. */
async function stopOrphansAlone(paths: ProjectPaths): Promise<number> {
  const lock = takeLock(paths.runtimeLock);
  if (!isHeld(lock)) return 0;
  try {
    return await stopOrphans(paths.database);
  } finally {
    lock.release();
  }
}

/** The error for a runtime that was stopped on purpose. */
export function runtimeStopped(): AbilityError {
  return new AbilityError({
    code: 'runtime.stopped',
    message: 'The runtime of this project was stopped with `ability down`; the task is on disk',
    suggestion: 'Go on with `ability task watch KEY`, which starts the runtime.',
  });
}
