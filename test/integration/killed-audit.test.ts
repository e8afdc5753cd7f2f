import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import type { AuditLine } from '../../src/contracts/audit.js';
import { readAudit } from '../../src/server/audit/read-audit.js';
import { FolderStore } from '../../src/server/store/folder-store.js';
import { LONGER, timesIn } from '../fixtures/extent.js';

const WRITER = fileURLToPath(new URL('../fixtures/audit-writer.mjs', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'ability-test-audit-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Whole lines only: the last one may be cut by the kill. */
async function writeUntilKilled(name: string, written: string[], afterMs: number): Promise<void> {
  const env = { ...process.env, WRITER_STORE: folder, WRITER_NAME: name };
  const child: ChildProcess = spawn(process.execPath, [WRITER], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout?.on('data', (chunk) => {
    text += String(chunk);
  });
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  await sleep(afterMs);
  child.kill('SIGKILL');
  await once(child, 'close');
  written.push(...text.split('\n').slice(0, -1));
}

const KILLS = timesIn('LONG', 10, 200);

test(`writers that are killed ${KILLS} times, two at once, leave one whole chain that has all they reported`, {
  ...LONGER,
  timeout: 300_000,
}, async () => {
  const written: string[] = [];
  const lane = async (own: string): Promise<void> => {
    for (let kill = 0; kill < KILLS / 2; kill += 1) {
      await writeUntilKilled(`${own}${kill}`, written, Math.random() * 40);
    }
  };
  await Promise.all([lane('a'), lane('b')]);
  const lines: AuditLine[] = [];
  for await (const { lines: read, finding } of readAudit(new FolderStore(folder), 'acme')) {
    expect(finding).toBeUndefined();
    lines.push(...read);
  }
  expect(written.length).toBeGreaterThan(KILLS);
  expect(lines.map(({ seq }) => seq)).toEqual(lines.map((_, index) => index + 1));
  const events = new Set(lines.map(({ event }) => event));
  expect(events.size).toBe(lines.length);
  expect(written.filter((event) => !events.has(event))).toEqual([]);
});
