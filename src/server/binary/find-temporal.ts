import { execFile } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { AbilityError } from '../../contracts/problem.js';
import { cacheFolder } from '../project-paths.js';
import { OLDEST_CLI, TEMPORAL_CLI_VERSION } from './pinned.js';

/** A Temporal CLI that can start a server. */
export interface TemporalBinary {
  path: string;
  version: string;
  from: 'ABILITY_TEMPORAL_BIN' | 'PATH' | 'cache' | 'download' | 'pip';
}

/** Where an installed binary is kept, by version. */
export function cachedBinaryPath(): string {
  return join(cacheFolder(), `temporal-${TEMPORAL_CLI_VERSION}`, 'temporal');
}

/**
 * Finds a Temporal CLI without fetching one: `ABILITY_TEMPORAL_BIN`, `PATH`, the user's cache.
 *
 * @throws AbilityError `temporal.binary_missing` when `ABILITY_TEMPORAL_BIN` names something that is no such program.
 */
export async function findTemporal(env: NodeJS.ProcessEnv = process.env): Promise<TemporalBinary | undefined> {
  const named = env.ABILITY_TEMPORAL_BIN;
  if (named) {
    const version = await versionOf(named);
    if (version) return { path: named, version, from: 'ABILITY_TEMPORAL_BIN' };
    throw new AbilityError({
      code: 'temporal.binary_missing',
      message: `ABILITY_TEMPORAL_BIN names ${named}, which is not a Temporal CLI that can be run`,
      suggestion: 'Correct the variable or unset it.',
    });
  }
  const onPath = findOnPath(env.PATH ?? '');
  if (onPath) {
    const version = await versionOf(onPath);
    if (version && isRecent(version)) return { path: onPath, version, from: 'PATH' };
  }
  const cached = cachedBinaryPath();
  const version = isExecutable(cached) ? await versionOf(cached) : undefined;
  return version ? { path: cached, version, from: 'cache' } : undefined;
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

function findOnPath(path: string): string | undefined {
  return path
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, 'temporal'))
    .find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
