import { expect, test } from 'vitest';
import { asDiskError, isNoRoom } from '../../../../src/disk/disk-errors.js';

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
