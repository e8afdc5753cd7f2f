import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { PayloadStore } from '../../../src/server/payload-store.js';
import { errorOf, errorOfAsync } from '../error-of.js';

let folder: string;
let store: PayloadStore;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ability-test-store-'));
  store = new PayloadStore(join(folder, 'store'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const filesIn = (path: string): string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));

test('bytes are found again by their SHA-256', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), async (bytes) => {
      const digest = store.put(bytes);
      expect(digest).toBe(createHash('sha256').update(bytes).digest('hex'));
      expect(Buffer.from(await store.get(digest)).equals(bytes)).toBe(true);
    }),
    { numRuns: 30 },
  );
});

test('the same bytes are kept once, and no half-written file is left', () => {
  const digest = store.put(Buffer.from('same'));
  expect(store.put(Buffer.from('same'))).toBe(digest);
  expect(filesIn(folder)).toHaveLength(1);
});

test('two processes that share a folder share what is in it', async () => {
  const digest = store.put(Buffer.from('shared'));
  const other = new PayloadStore(store.folder);
  expect(Buffer.from(await other.get(digest)).toString()).toBe('shared');
});

test('a value that is not here is store.not_shared, with where was looked', async () => {
  const error = await errorOfAsync(() => store.get('0'.repeat(64)));
  expect(error.code).toBe('store.not_shared');
  expect(error.message).toContain(store.folder);
  expect(error.suggestion).toMatch(/ABILITY_STORE/);
});

test('a damaged value is never given out', async () => {
  const digest = store.put(Buffer.from('whole'));
  for (const file of filesIn(folder)) writeFileSync(file, 'damaged');
  const error = await errorOfAsync(() => store.get(digest));
  expect(error.code).toBe('store.not_shared');
  expect(error.message).toMatch(/damaged/);
});

test('a damaged value is written anew when its bytes are put again, and is not taken for whole before', async () => {
  const digest = store.put(Buffer.from('whole'));
  for (const file of filesIn(folder)) writeFileSync(file, 'WHOLE');
  expect(await store.holds(digest)).toBe(false);
  expect(store.put(Buffer.from('whole'))).toBe(digest);
  expect(await store.holds(digest)).toBe(true);
  expect(Buffer.from(await store.get(digest)).toString()).toBe('whole');
});

test('a store that cannot be written is store.full, and says why', () => {
  writeFileSync(join(folder, 'file'), '');
  const error = errorOf(() => new PayloadStore(join(folder, 'file')).put(Buffer.from('x')));
  expect(error.code).toBe('store.full');
  expect(error.suggestion).toMatch(/ABILITY_STORE/);
  expect(error.cause).toBeInstanceOf(Error);
});
