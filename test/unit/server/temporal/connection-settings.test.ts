import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CODES } from '../../../../src/contracts/codes.js';
import { type ConnectionFlags, chooseServer } from '../../../../src/server/temporal/connection-settings.js';
import { errorOfAsync } from '../../error-of.js';

const CONFIGURATION = `
[profile.default]
address = "default.test:7233"
[profile.prod]
address = "prod.test:7233"
namespace = "prod-space"
[profile.bare]
namespace = "bare-space"
`;
let folder: string;
let file: Record<string, string>;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'ability-test-profile-'));
  writeFileSync(join(folder, 'temporal.toml'), CONFIGURATION);
  file = { TEMPORAL_CONFIG_FILE: join(folder, 'temporal.toml') };
});
afterAll(() => rmSync(folder, { recursive: true }));

async function chosen(flags: ConnectionFlags, env: NodeJS.ProcessEnv = {}): Promise<[string, string] | undefined> {
  const server = await chooseServer(flags, { ...file, ...env });
  if (!server) return undefined;
  expect(server.connectionOptions?.address).toBe(server.address);
  return [server.address, server.namespace];
}

describe("the project's own runtime is chosen", () => {
  test('if nothing is specified', async () => {
    expect(await chooseServer({}, {})).toBeUndefined();
  });

  test('even if a configuration file has a default profile', async () => {
    expect(await chosen({})).toBeUndefined();
  });

  test('if only a namespace is specified', async () => {
    expect(await chosen({ namespace: 'mine' }, { TEMPORAL_NAMESPACE: 'theirs' })).toBeUndefined();
  });
});

describe('a remote server is chosen', () => {
  test('by address', async () => {
    expect(await chosen({ address: 'flag.test:1' })).toEqual(['flag.test:1', 'default']);
    expect(await chosen({}, { TEMPORAL_ADDRESS: 'env.test:1' })).toEqual(['env.test:1', 'default']);
  });

  test('by profile', async () => {
    expect(await chosen({ profile: 'prod' })).toEqual(['prod.test:7233', 'prod-space']);
    expect(await chosen({}, { TEMPORAL_PROFILE: 'prod' })).toEqual(['prod.test:7233', 'prod-space']);
  });

  test('at the default address if its profile names none', async () => {
    expect(await chosen({ profile: 'bare' })).toEqual(['127.0.0.1:7233', 'bare-space']);
  });

  test('with the namespace of a flag or variable before that of the profile', async () => {
    expect(await chosen({ profile: 'prod', namespace: 'mine' })).toEqual(['prod.test:7233', 'mine']);
    expect(await chosen({ profile: 'prod' }, { TEMPORAL_NAMESPACE: 'theirs' })).toEqual(['prod.test:7233', 'theirs']);
    expect(await chosen({ address: 'a.test:1', namespace: 'mine' }, { TEMPORAL_NAMESPACE: 'theirs' })).toEqual([
      'a.test:1',
      'mine',
    ]);
  });
});

describe('a flag comes before a variable, a variable before a profile', () => {
  test('--address over TEMPORAL_ADDRESS', async () => {
    expect(await chosen({ address: 'flag.test:1' }, { TEMPORAL_ADDRESS: 'env.test:1' })).toEqual([
      'flag.test:1',
      'default',
    ]);
  });

  test('--address over TEMPORAL_PROFILE', async () => {
    expect((await chosen({ address: 'flag.test:1' }, { TEMPORAL_PROFILE: 'prod' }))?.[0]).toBe('flag.test:1');
  });

  test('--profile over TEMPORAL_PROFILE', async () => {
    expect((await chosen({ profile: 'prod' }, { TEMPORAL_PROFILE: 'default' }))?.[0]).toBe('prod.test:7233');
  });

  test('--profile over TEMPORAL_ADDRESS', async () => {
    expect((await chosen({ profile: 'prod' }, { TEMPORAL_ADDRESS: 'env.test:1' }))?.[0]).toBe('prod.test:7233');
  });

  test('TEMPORAL_ADDRESS over TEMPORAL_PROFILE', async () => {
    expect((await chosen({}, { TEMPORAL_ADDRESS: 'env.test:1', TEMPORAL_PROFILE: 'prod' }))?.[0]).toBe('env.test:1');
  });
});

test('a profile that does not exist fails with a known code, and is named', async () => {
  const error = await errorOfAsync(() => chosen({ profile: 'prdo' }));
  expect(error.message).toMatch(/prdo/);
  expect(Object.keys(CODES)).toContain(error.code);
});
