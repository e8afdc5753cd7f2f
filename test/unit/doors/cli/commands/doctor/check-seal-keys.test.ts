import { describe, expect, test } from 'vitest';
import { checkSealKeys } from '../../../../../../src/doors/cli/commands/doctor/check-seal-keys.js';
import { pathsOf } from '../../../../../../src/server/project-paths.js';
import { createSealKey } from '../../../../../../src/worker/seal-keys.js';
import { temporaryProject } from '../../../../temporary-project.js';

const check = (env: NodeJS.ProcessEnv, isShared: boolean) =>
  checkSealKeys(pathsOf(temporaryProject().root), env, isShared);

describe('doctor says of seal keys', () => {
  test('that they are missing where a server is shared, and how to make them', () => {
    expect(check({}, true)).toMatchObject({ status: 'warning', advice: expect.stringMatching(/ability keys create/) });
    expect(check({}, false)).toMatchObject({ status: 'ok' });
  });

  test('which one signs', () => {
    const ABILITY_SEAL_KEYS = createSealKey('new', createSealKey('old'));
    const message = 'ABILITY_SEAL_KEYS is set: old signs, new only verifies';
    expect(check({ ABILITY_SEAL_KEYS }, true)).toMatchObject({ status: 'ok', message });
  });

  test.each([true, false])('that no worker would take them (shared: %s)', (isShared) => {
    expect(check({ ABILITY_SEAL_KEYS: 'main:short' }, isShared)).toMatchObject({ status: 'failed' });
  });
});
