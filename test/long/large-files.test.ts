import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type LargeFiles, openLargeFiles, passLargeFile } from '../fixtures/large-files.js';
import { startS3 } from '../fixtures/servers/s3-server.js';

const MIB = 1024 * 1024;
const LIMIT_MS = 300_000;

let files: LargeFiles;

beforeAll(async () => {
  files = await openLargeFiles();
});
afterAll(() => files.stop());

test(
  'files of 500 MB pass through three steps with kill -9 in between: correct digests, little memory, nothing left',
  async () => {
    const grown = await passLargeFile(files, 500, ['make', 'flip', 'back'], LIMIT_MS);
    expectLittle(grown);
  },
  2 * LIMIT_MS,
);

const { server, why } = await startS3();

test.skipIf(!server)(
  `they also pass with a store in S3, whose parts take little memory as well${why ? ` (skipped: ${why})` : ''}`,
  async () => {
    const env = { ...server?.env, ABILITY_STORE: 's3://large/files' };
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
    await fetch(`${server?.endpoint}/large`, { method: 'PUT' });
    const inS3 = await openLargeFiles();
    try {
      expectLittle(await passLargeFile(inS3, 500, [], LIMIT_MS));
    } finally {
      await inS3.stop();
      vi.unstubAllEnvs();
      await server?.stop();
    }
  },
  2 * LIMIT_MS,
);

function expectLittle(grown: readonly number[]): void {
  process.stderr.write(
    `memory beyond that for 1 MiB: ${grown.map((bytes) => (bytes / MIB).toFixed(1)).join(', ')} MiB\n`,
  );
  for (const bytes of grown) expect(bytes).toBeLessThan(64 * MIB);
}
