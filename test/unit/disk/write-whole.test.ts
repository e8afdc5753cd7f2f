import { mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { writeWhole } from '../../../src/disk/write-files.js';
import { temporaryFolder } from '../temporary-project.js';

const fault = vi.hoisted(() => ({ remove: undefined as Error | undefined }));
vi.mock('node:fs', async (original) => {
  const fs = await original<typeof import('node:fs')>();
  const rmSync: typeof fs.rmSync = (path, options) => {
    if (fault.remove) throw fault.remove;
    fs.rmSync(path, options);
  };
  return { ...fs, rmSync };
});
afterEach(() => {
  fault.remove = undefined;
});

test('a file is written with its mode, in a folder that is made if it is missing', () => {
  const root = temporaryFolder();
  const file = join(root, 'a/b/file');
  writeWhole(file, 'old');
  writeWhole(file, 'new', 0o600);
  expect(readFileSync(file, 'utf8')).toBe('new');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(root, 'a/b'))).toEqual(['file']);
});

test('a failed write leaves nothing beside the file', () => {
  const root = temporaryFolder();
  mkdirSync(join(root, 'taken/full'), { recursive: true });
  expect(() => writeWhole(join(root, 'taken'), 'text')).toThrow(/rename/);
  expect(readdirSync(root)).toEqual(['taken']);
});

test('a failed removal does not hide why the write failed', () => {
  const root = temporaryFolder();
  mkdirSync(join(root, 'taken/full'), { recursive: true });
  fault.remove = new Error('cannot be removed');
  expect(() => writeWhole(join(root, 'taken'), 'text')).toThrow(/rename/);
});
