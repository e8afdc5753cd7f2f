import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { FolderStore } from '../../../../src/server/store/folder-store.js';

vi.mock(import('node:fs/promises'), async (original) => {
  const real = await original();
  const open = async (...parameters: Parameters<typeof real.open>) => {
    const file = await real.open(...parameters);
    const writeFile = async (): Promise<void> => {
      throw Object.assign(new Error('ENOSPC: no space left on device, write'), { code: 'ENOSPC' });
    };
    return parameters[1] === 'wx' ? Object.assign(file, { writeFile }) : file;
  };
  return { ...real, open };
});

test('a file that does not fit on the disk fails with store.full, even if its source has more data', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'full-disk-'));
  const source = Readable.from(
    (function* () {
      for (let part = 0; part < 100; part += 1) yield Buffer.alloc(64 * 1024);
    })(),
  );
  const kept = new FolderStore(folder).keepFile(source, { maxBytes: 1e9, signal: new AbortController().signal });
  await expect(kept).rejects.toMatchObject({ code: 'store.full', message: expect.stringContaining('disk is full') });
  expect(readdirSync(join(folder, 'new'))).toEqual([]);
  rmSync(folder, { recursive: true });
});
