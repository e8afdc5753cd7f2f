import { lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { RUN_FILES } from './run-log.js';

/**
 * Removes the logs of runs to which nothing was added for so long, and folders of runs that never began.
 *
 * @param now milliseconds since 1970, as `keepMs`. @returns how many. @throws the error of the file system.
 */
export function removeOldRuns(runs: string, now: number, keepMs: number): number {
  const old = namesIn(runs).filter((name) => now - lastUsed(join(runs, name), now) > keepMs);
  for (const name of old) rmSync(join(runs, name), { recursive: true, force: true });
  return old.length;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** When the log was last added to; of a folder without one, when it was made. What is no folder is not ours. */
function lastUsed(folder: string, now: number): number {
  const made = lstatSync(folder, { throwIfNoEntry: false });
  if (!made?.isDirectory()) return now;
  return lstatSync(join(folder, RUN_FILES.log), { throwIfNoEntry: false })?.mtimeMs ?? made.mtimeMs;
}
