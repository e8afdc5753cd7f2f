import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { cachedPathOf, findProgram } from '../../../../src/server/binary/find-program.js';
import { TEST_SERVER } from '../../../../src/server/binary/find-test-server.js';
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

/** A program that complains about its first argument as the test server does. */
function server(path: string): string {
  return program(path, 'echo "at io.temporal.testserver.TestServer.main(TestServer.java:22)" >&2; exit 1');
}
function program(path: string, body: string): string {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, `#!/bin/sh\n${body}\n`);
  chmodSync(path, 0o755);
  return path;
}

test('the test server is searched for in its variable, then on the PATH, then in the cache', async () => {
  const cached = server(cachedPathOf(TEST_SERVER, own()));
  expect(await findProgram(TEST_SERVER, own({ PATH: '' }))).toMatchObject({ path: cached, from: 'cache' });
  const onPath = server(join(folder, 'bin', 'temporal-test-server'));
  expect(await findProgram(TEST_SERVER, own({ PATH: dirname(onPath) }))).toMatchObject({ path: onPath, from: 'PATH' });
  const named = server(join(folder, 'mine'));
  const env = { ABILITY_TEMPORAL_TEST_SERVER_BIN: named, PATH: dirname(onPath) };
  expect(await findProgram(TEST_SERVER, env)).toMatchObject({ path: named, from: 'ABILITY_TEMPORAL_TEST_SERVER_BIN' });
});

test('another program is never treated as the test server', async () => {
  const other = program(join(folder, 'bin', 'temporal-test-server'), 'echo hello');
  expect(await findProgram(TEST_SERVER, own({ PATH: dirname(other) }))).toBeUndefined();
  const error = await errorOfAsync(() => findProgram(TEST_SERVER, { ABILITY_TEMPORAL_TEST_SERVER_BIN: other }));
  expect(error).toMatchObject({ code: 'temporal.binary_missing', message: expect.stringContaining(other) });
});

test('the release of the test server is pinned by the hash of each platform', () => {
  expect(TEST_SERVER.version).toBe('1.40.0');
  expect(TEST_SERVER.sources.map(([from]) => from)).toEqual(['pip']);
});
