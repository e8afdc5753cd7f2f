import { rmSync } from 'node:fs';
import type { RuntimeFile } from '../contracts/runtime.js';
import { isAlive, stopProcess } from './processes.js';
import type { ProjectPaths } from './project-paths.js';
import { readLivingRuntime } from './runtime-file.js';
import { stopOrphans } from './temporal-server.js';

/** Calls that may not be repeated are let end; one that takes longer than this is broken off. */
const GRACE_MS = 90_000;

/**
 * Stops the project's runtime, and a server that a killed runtime may have left.
 *
 * Tasks are on disk and go on with the next command.
 *
 * @returns what was stopped.
 */
export async function stopRuntime(paths: ProjectPaths): Promise<{ runtime: RuntimeFile | undefined; orphans: number }> {
  const runtime = readLivingRuntime(paths);
  if (runtime) await stopProcess(runtime, GRACE_MS);
  rmSync(paths.stayFile, { force: true });
  const orphans = await stopOrphans(paths.database);
  if (runtime?.server && isAlive(runtime.server)) await stopProcess(runtime.server, GRACE_MS);
  return { runtime, orphans };
}
