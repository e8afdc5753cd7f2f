import { chmodSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { keepLogin, readLogin } from '../../../../src/server/keys/kept-logins.js';
import { loginsFile } from '../../../../src/server/keys/logins-file.js';

const root = mkdtempSync(join(tmpdir(), 'ability-logins-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
const login = { token: 'abt_x', person: 'alice', can: ['read' as const], expires_at: '2030-01-01T00:00:00.000Z' };

test.each([
  [{ XDG_CONFIG_HOME: '/etc/alice', HOME: '/home/a' }, '/etc/alice/ability/doors.json'],
  [{ XDG_CONFIG_HOME: 'relative', HOME: '/home/a' }, '/home/a/.config/ability/doors.json'],
  [{ HOME: '/home/a' }, '/home/a/.config/ability/doors.json'],
  [{}, join(homedir(), '.config/ability/doors.json')],
])('logins are in the folder of the settings of the user: %j', (env, file) => {
  expect(loginsFile(env)).toBe(file);
});

test('a login is kept for its door, in a file and a folder of the user alone', () => {
  const file = join(root, 'a', 'ability', 'doors.json');
  expect(readLogin(file, 'https://one')).toBeUndefined();
  keepLogin(file, 'https://one', login);
  keepLogin(file, 'https://two', { ...login, person: 'bob' });
  expect([statSync(file).mode & 0o777, statSync(join(root, 'a', 'ability')).mode & 0o777]).toEqual([0o600, 0o700]);
  expect([readLogin(file, 'https://one'), readLogin(file, 'https://two')?.person]).toEqual([login, 'bob']);
  keepLogin(file, 'https://one', undefined);
  expect([readLogin(file, 'https://one'), readLogin(file, 'https://two')?.person]).toEqual([undefined, 'bob']);
});

test.each([
  ['that others may read', (file: string) => chmodSync(file, 0o640)],
  [
    'behind a link',
    (file: string) => {
      rmSync(file);
      symlinkSync(join(root, 'elsewhere'), file);
    },
  ],
  ['of another form', (file: string) => writeFileSync(file, '{"format": 2}', { mode: 0o600 })],
])('a file %s is refused, and not written over', (name, spoil) => {
  const file = join(root, name, 'ability', 'doors.json');
  writeFileSync(join(root, 'elsewhere'), '{}');
  keepLogin(file, 'https://one', login);
  spoil(file);
  const refused = expect.objectContaining({ code: 'door.login_not_private' });
  expect(() => readLogin(file, 'https://one')).toThrow(refused);
  expect(() => keepLogin(file, 'https://two', login)).toThrow(refused);
});
