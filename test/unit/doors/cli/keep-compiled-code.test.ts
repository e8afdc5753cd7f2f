import { homedir } from 'node:os';
import { afterEach, expect, test, vi } from 'vitest';
import { compiledCodeFolder } from '../../../../src/doors/cli/program/keep-compiled-code.js';

vi.mock('node:os', async (actual) => {
  const os = await actual<typeof import('node:os')>();
  return { ...os, homedir: vi.fn(os.homedir) };
});
afterEach(() => vi.mocked(homedir).mockClear());

test.each([
  [{ ABILITY_CACHE: '/mnt/cache' }, '/mnt/cache/compiled'],
  [{ XDG_CACHE_HOME: '/var/cache/ann' }, '/var/cache/ann/ability-runtime/compiled'],
  [{ ABILITY_CACHE: '.cache' }, undefined],
  [{ HOME: 'ann' }, undefined],
])('the folder of compiled code with %j is %s', (env, folder) => {
  expect(compiledCodeFolder(env)).toBe(folder);
  expect(homedir).not.toHaveBeenCalled();
});

test('a user without a home keeps no compiled code', () => {
  vi.mocked(homedir).mockImplementationOnce(() => {
    throw new Error('uv_os_homedir returned ENOENT');
  });
  expect(compiledCodeFolder({})).toBeUndefined();
});
