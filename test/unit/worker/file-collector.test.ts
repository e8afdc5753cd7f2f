import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { FolderStore } from '../../../src/server/store/folder-store.js';
import { FileCollector } from '../../../src/worker/file-collector.js';

test('a failed collection is tried again at the next check, and a successful one a day later', async () => {
  const root = mkdtempSync(join(tmpdir(), 'ability-collector-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const store = new FolderStore(join(root, 'store'));
  const collector = new FileCollector({ project: 'p', root, store, client: {} as never });
  const collect = vi.spyOn(collector, 'collect').mockRejectedValueOnce(new Error('the disk is away'));
  collect.mockResolvedValue({ files: 0 } as never);
  const now = new Date('2026-11-22T12:00:00Z');
  const later = (hours: number) => new Date(now.getTime() + hours * 3_600_000);

  await expect(collector.collectIfDue(now)).rejects.toThrow('the disk is away');
  expect(await collector.collectIfDue(later(1))).toEqual({ files: 0 });
  expect(await collector.collectIfDue(later(2))).toBeUndefined();
  expect(await collector.collectIfDue(later(26))).toEqual({ files: 0 });
});
