import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cacheFolder } from '../../../src/server/project-paths.js';

const usual = process.platform === 'darwin' ? '/home/ann/Library/Caches' : '/home/ann/.cache';

test.each([
  [{}, join(usual, 'ability-runtime')],
  [{ XDG_CACHE_HOME: '/var/cache/ann' }, '/var/cache/ann/ability-runtime'],
  [{ XDG_CACHE_HOME: '' }, join(usual, 'ability-runtime')],
  [{ XDG_CACHE_HOME: 'cache' }, join(usual, 'ability-runtime')],
  [{ XDG_CACHE_HOME: '/var/cache/ann', ABILITY_CACHE: '/mnt/cache' }, '/mnt/cache'],
  [{ ABILITY_CACHE: '' }, join(usual, 'ability-runtime')],
  [{ HOME: '' }, join(usual.replace('/home/ann', homedir()), 'ability-runtime')],
])('the cache with %j is %s', (env, folder) => {
  expect(cacheFolder({ HOME: '/home/ann', ...env })).toBe(folder);
});
