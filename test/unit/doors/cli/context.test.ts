import { afterEach, describe, expect, test, vi } from 'vitest';
import { type Context, currentUser, environmentOf } from '../../../../src/doors/cli/context.js';
import type { Terminal } from '../../../../src/doors/cli/terminal.js';
import { errorOfAsync } from '../../error-of.js';
import { registryOf } from '../../temporary-project.js';

const terminal: Terminal = {
  isLive: false,
  print() {},
  printJson() {},
  note() {},
  redraw() {},
  room: () => 24,
  style: (_, text) => text,
};
const given = (flags: Context['flags']): Context => ({ flags, terminal, cwd: '/' });
const registry = (more = '') =>
  registryOf({ 'ability.yaml': `format: 1\nproject: p\nenvironments: { dev: {}, staging: {}, prod: {} }\n${more}` });

afterEach(() => vi.unstubAllEnvs());

describe('the environment of a command', () => {
  test('is --env, then ABILITY_ENV, then the default of the project', async () => {
    const project = registry('default_environment: dev');
    vi.stubEnv('ABILITY_ENV', 'staging');
    expect(await environmentOf(given({ env: 'prod' }), project)).toBe('prod');
    expect(await environmentOf(given({}), project)).toBe('staging');
    vi.stubEnv('ABILITY_ENV', undefined);
    expect(await environmentOf(given({}), project)).toBe('dev');
  });

  test('is config.no_environment where nothing says which', async () => {
    vi.stubEnv('ABILITY_ENV', undefined);
    const error = await errorOfAsync(() => environmentOf(given({}), registry()));
    expect(error.code).toBe('config.no_environment');
  });
});

describe('who asks', () => {
  test('is ABILITY_USER, a claim', () => {
    expect(currentUser({ ABILITY_USER: 'alice' })).toEqual({ name: 'alice', source: 'claimed' });
  });

  test('is the user of the system where that is not set, or set to nothing', () => {
    expect(currentUser({})).toEqual(currentUser({ ABILITY_USER: '' }));
    expect(currentUser({}).name).not.toBe('');
  });
});
