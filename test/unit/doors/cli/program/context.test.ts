import { describe, expect, test } from 'vitest';
import { type Context, environmentOf } from '../../../../../src/doors/cli/program/context.js';
import { currentUser } from '../../../../../src/operations/read-caller.js';
import { NOWHERE } from '../../../../fixtures/silent-terminal.js';
import { errorOfAsync } from '../../../error-of.js';
import { registryOf } from '../../../temporary-project.js';

const given = (flags: Context['flags'], env: Context['env'] = {}): Context => ({ ...NOWHERE, flags, env });
const registry = (more = '') =>
  registryOf({ 'ability.yaml': `format: 1\nproject: p\nenvironments: { dev: {}, staging: {}, prod: {} }\n${more}` });

describe('the environment of a command', () => {
  test('is --env, then ABILITY_ENV, then the default of the project', async () => {
    const project = registry('default_environment: dev');
    const env = { ABILITY_ENV: 'staging' };
    expect(await environmentOf(given({ env: 'prod' }, env), project)).toBe('prod');
    expect(await environmentOf(given({}, env), project)).toBe('staging');
    expect(await environmentOf(given({}), project)).toBe('dev');
  });

  test('is config.no_environment if nothing specifies one', async () => {
    const error = await errorOfAsync(() => environmentOf(given({}), registry()));
    expect(error.code).toBe('config.no_environment');
  });
});

describe('the user of a command', () => {
  test('is ABILITY_USER, as a claim', () => {
    expect(currentUser({ ABILITY_USER: 'alice' })).toEqual({ name: 'alice', source: 'claimed' });
  });

  test('is the user of the system if that is unset or empty', () => {
    expect(currentUser({})).toEqual(currentUser({ ABILITY_USER: '' }));
    expect(currentUser({}).name).not.toBe('');
  });
});
