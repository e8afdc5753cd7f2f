import { closeSync, fstatSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readUpTo } from '../../../src/disk/read-up-to.js';
import { temporaryFolder } from '../temporary-project.js';

test('the limit counts bytes, and reading stops above it', () => {
  const file = join(temporaryFolder(), 'file');
  writeFileSync(file, 'äöü');
  expect(readUpTo(6, file)?.toString()).toBe('äöü');
  expect(readUpTo(5, file)).toBeUndefined();
  // A file without an end.
  expect(readUpTo(1024 * 1024, '/dev/zero')).toBeUndefined();
});

test('an open handle is read to its end, in several pieces, and stays open', () => {
  const file = join(temporaryFolder(), 'file');
  const content = Buffer.alloc(200_000, 'abc');
  writeFileSync(file, content);
  const handle = openSync(file, 'r');
  expect(readUpTo(200_000, handle)?.equals(content)).toBe(true);
  expect(fstatSync(handle).size).toBe(200_000);
  closeSync(handle);
});
