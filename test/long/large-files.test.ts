import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LargeFiles, openLargeFiles, passLargeFile } from '../fixtures/large-files.js';

const MIB = 1024 * 1024;
const LIMIT_MS = 300_000;

let files: LargeFiles;

beforeAll(async () => {
  files = await openLargeFiles();
});
afterAll(() => files.stop());

test(
  'files of 500 MB go through three steps with kill -9 in between: right digests, little memory, nothing left',
  async () => {
    const grown = await passLargeFile(files, 500, ['make', 'flip', 'back'], LIMIT_MS);
    process.stderr.write(
      `memory beyond that for 1 MiB: ${grown.map((bytes) => (bytes / MIB).toFixed(1)).join(', ')} MiB\n`,
    );
    for (const bytes of grown) expect(bytes).toBeLessThan(64 * MIB);
  },
  2 * LIMIT_MS,
);
