import { afterAll, beforeAll, expect, test } from 'vitest';
import { type LargeFiles, openLargeFiles, passLargeFile } from '../fixtures/large-files.js';

const MIB = 1024 * 1024;

let files: LargeFiles;

beforeAll(async () => {
  files = await openLargeFiles();
});
afterAll(() => files.stop());

test('a file of 20 MiB goes through three steps and a kill -9, and nothing is left once its task is deleted', async () => {
  const grown = await passLargeFile(files, 20, ['flip'], 60_000);
  for (const bytes of grown) expect(bytes).toBeLessThan(64 * MIB);
}, 90_000);
