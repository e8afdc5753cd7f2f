import { mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { asDiskError, isNoRoom } from '../../../../src/disk/disk-errors.js';
import { makeSystemFolder } from '../../../../src/server/runtime/runtime-file.js';
import { errorOf } from '../../error-of.js';
import { temporaryProject } from '../../temporary-project.js';

test.each(['ENOSPC', 'EDQUOT'])('%s means that there is no room, also as the cause of an AbilityError', (code) => {
  const error = Object.assign(new Error('write failed'), { code });
  expect(isNoRoom(error)).toBe(true);
  expect(asDiskError(error, 'x')).toMatchObject({
    code: 'runtime.failed',
    message: 'x could not be written: the disk is full',
  });
  expect(isNoRoom(asDiskError(error, 'x'))).toBe(true);
});

test('other errors do not mean that there is no room', () => {
  for (const error of [
    undefined,
    null,
    'ENOSPC',
    new Error('no'),
    Object.assign(new Error('no'), { code: 'EACCES' }),
  ]) {
    expect(isNoRoom(error)).toBe(false);
  }
});

describe('the folder of a runtime', () => {
  const modeOf = (path: string) => statSync(path).mode & 0o777;

  test('keeps history and records from other accounts, also in a folder that was open', () => {
    const { root } = temporaryProject();
    const system = join(root, '.system');
    mkdirSync(join(system, 'temporal'), { recursive: true, mode: 0o755 });
    makeSystemFolder({ system });
    for (const name of ['temporal', 'implement', 'runs']) expect(modeOf(join(system, name))).toBe(0o700);
  });

  test.each([
    ['runtime.log', false],
    ['runtime.touch', false],
    ['keys', false],
    ['implement', false],
    ['temporal/temporal.db', true],
    ['temporal/server.log', true],
    ['implement/k1/logs', true],
    ['implement/calls/x', true],
  ])('is not used with the link %s in it', (name, deep) => {
    const { root } = temporaryProject({ 'outside/x': '' });
    const link = join(root, '.system', name);
    mkdirSync(dirname(link), { recursive: true });
    symlinkSync(join(root, 'outside'), link);
    const error = errorOf(() => makeSystemFolder({ system: join(root, '.system') }, deep));
    expect(error).toMatchObject({ code: 'runtime.failed', message: expect.stringContaining(`${link} is a link`) });
    rmSync(link);
    makeSystemFolder({ system: join(root, '.system') }, deep);
  });

  test('may have the links that copies of scripts and calls have', () => {
    const { root } = temporaryProject();
    const system = join(root, '.system');
    for (const name of ['pinned', 'calls', 'running']) {
      mkdirSync(join(system, name), { recursive: true });
      writeFileSync(join(system, name, 'file'), '');
      symlinkSync('file', join(system, name, 'link'));
    }
    makeSystemFolder({ system }, true);
  });
});
