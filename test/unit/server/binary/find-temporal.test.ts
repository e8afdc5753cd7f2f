import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { cachedPathOf } from '../../../../src/server/binary/find-program.js';
import { findTemporal as find, TEMPORAL_CLI, versionOf } from '../../../../src/server/binary/find-temporal.js';
import { errorOfAsync } from '../../error-of.js';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ability-test-binary-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** The environment of a search, with a cache of its own. */
const own = (env: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({ ...env, ABILITY_CACHE: join(folder, 'cache') });
const findTemporal = (env: NodeJS.ProcessEnv) => find(own(env));
const cachedBinaryPath = (): string => cachedPathOf(TEMPORAL_CLI, own());

function program(path: string, body: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
  return path;
}
const temporal = (path: string, version: string): string =>
  program(path, `echo "temporal version ${version} (Server 1.32.0, UI 2.54.1)"`);
const onPath = (name = 'bin'): string => join(folder, name, 'temporal');
const pathOf = (...names: string[]): string => names.map((name) => join(folder, name)).join(':');

describe('ABILITY_TEMPORAL_BIN', () => {
  test('wins over the PATH and the cache', async () => {
    const named = temporal(join(folder, 'mine'), '1.5.0');
    temporal(onPath(), '1.9.0');
    temporal(cachedBinaryPath(), '1.9.1');
    expect(await findTemporal({ ABILITY_TEMPORAL_BIN: named, PATH: pathOf('bin') })).toEqual({
      path: named,
      version: '1.5.0',
      from: 'ABILITY_TEMPORAL_BIN',
    });
  });

  test.each([
    ['is not there', () => join(folder, 'nothing')],
    ['is another program', () => program(join(folder, 'other'), 'echo "other version 3"')],
    ['fails', () => program(join(folder, 'broken'), 'exit 1')],
    [
      'cannot be executed',
      () => {
        const path = temporal(join(folder, 'plain'), '1.9.1');
        chmodSync(path, 0o644);
        return path;
      },
    ],
  ])('that %s is refused, and never silently replaced', async (_, named) => {
    temporal(onPath(), '1.9.0');
    const error = await errorOfAsync(() => findTemporal({ ABILITY_TEMPORAL_BIN: named(), PATH: pathOf('bin') }));
    expect(error.code).toBe('temporal.binary_missing');
    expect(error.message).toMatch(/ABILITY_TEMPORAL_BIN/);
  });
});

describe('the PATH', () => {
  test('comes before the cache, its first folder first', async () => {
    temporal(onPath('first'), '1.8.0');
    temporal(onPath('second'), '1.9.0');
    temporal(cachedBinaryPath(), '1.9.1');
    expect(await findTemporal({ PATH: pathOf('empty', 'first', 'second') })).toEqual({
      path: onPath('first'),
      version: '1.8.0',
      from: 'PATH',
    });
  });

  test('is skipped if its version is too old', async () => {
    temporal(onPath(), '0.13.2');
    temporal(cachedBinaryPath(), '1.9.1');
    expect(await findTemporal({ PATH: pathOf('bin') })).toMatchObject({ from: 'cache', version: '1.9.1' });
  });

  test.each(['1.0.9', '0.99.0'])('the version %s is too old', async (version) => {
    temporal(onPath(), version);
    expect(await findTemporal({ PATH: pathOf('bin') })).toBeUndefined();
  });

  test.each(['1.1.0', '1.10.0', '2.0.0'])('the version %s is not too old', async (version) => {
    temporal(onPath(), version);
    expect(await findTemporal({ PATH: pathOf('bin') })).toMatchObject({ from: 'PATH', version });
  });

  test('is skipped if another program is called temporal', async () => {
    program(onPath(), 'echo hello');
    expect(await findTemporal({ PATH: pathOf('bin') })).toBeUndefined();
  });
});

describe('the cache', () => {
  test('is found by version', async () => {
    temporal(cachedBinaryPath(), '1.9.1');
    expect(await findTemporal({ PATH: '' })).toEqual({ path: cachedBinaryPath(), version: '1.9.1', from: 'cache' });
  });

  test('with a broken program counts as empty', async () => {
    program(cachedBinaryPath(), 'exit 1');
    expect(await findTemporal({ PATH: '' })).toBeUndefined();
  });
});

test('a search without a result is undefined, so that the program can be fetched', async () => {
  expect(await findTemporal({ PATH: pathOf('bin') })).toBeUndefined();
});

test('a version is read from the output of the program', async () => {
  expect(await versionOf(temporal(onPath(), '1.9.1'))).toBe('1.9.1');
  expect(await versionOf(join(folder, 'nothing'))).toBeUndefined();
});
