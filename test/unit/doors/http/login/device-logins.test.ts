import { expect, test } from 'vitest';
import { DeviceLogins, type Grant } from '../../../../../src/doors/http/login/device-logins.js';

const HOUR = 3_600_000;
const grant = (until = 12 * HOUR): Grant => ({ person: 'alice', can: ['read'], until });
const code = (name: string) => expect.objectContaining({ code: name });

test('a login is confirmed by its code as it is read aloud, and its token is taken once', () => {
  const logins = new DeviceLogins(false);
  const { device_code, user_code } = logins.begin('laptop', '10.0.0.7', HOUR, 0);
  expect(user_code).toMatch(/^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/);
  const spoken = ` ${user_code.toLowerCase().replace('-', ' ')} `;
  expect(logins.find(spoken, 'who', 1)).toEqual({
    user_code,
    client: 'laptop',
    address: '10.0.0.7',
    asked_at: '1970-01-01T00:00:00.000Z',
  });
  expect(() => logins.take(device_code, 2000)).toThrow(code('door.authorization_pending'));
  logins.answer(user_code, 'who', grant(), 2500);
  expect(() => logins.answer(user_code, 'who', 'denied', 2600)).toThrow(code('door.no_login'));
  expect(logins.take(device_code, 4000)).toEqual({ person: 'alice', can: ['read'], expiresMs: HOUR });
  expect(() => logins.take(device_code, 9000)).toThrow(code('door.expired_token'));
});

test('who asks too soon has to wait longer each time', () => {
  const logins = new DeviceLogins(false);
  const { device_code, user_code } = logins.begin('laptop', 'x', HOUR, 0);
  logins.answer(user_code, 'who', grant(), 0);
  expect(() => logins.take(device_code, 1999)).toThrow(code('door.slow_down'));
  expect(() => logins.take(device_code, 8998)).toThrow(code('door.slow_down'));
  expect(logins.take(device_code, 8998 + 12_000)).toMatchObject({ person: 'alice' });
});

test('a code is valid for ten minutes, and a token not longer than the session that confirmed it', () => {
  const logins = new DeviceLogins(false);
  const [late, short, over] = ['late', 'short', 'over'].map((name) => logins.begin(name, name, 12 * HOUR, 0));
  if (!late || !short || !over) throw new Error('no login');
  expect(() => logins.find(late.user_code, 'who', 600_000)).toThrow(code('door.no_login'));
  logins.answer(late.user_code, 'who', grant(), 599_000);
  expect(() => logins.take(late.device_code, 600_000)).toThrow(code('door.expired_token'));
  logins.answer(short.user_code, 'who', grant(20_000), 0);
  expect(logins.take(short.device_code, 5000)).toMatchObject({ expiresMs: 15_000 });
  logins.answer(over.user_code, 'who', grant(5000), 0);
  expect(() => logins.take(over.device_code, 5000)).toThrow(code('door.expired_token'));
});

test('a denied login is over', () => {
  const logins = new DeviceLogins(false);
  const { device_code, user_code } = logins.begin('laptop', 'x', HOUR, 0);
  logins.answer(user_code, 'who', 'denied', 0);
  expect(() => logins.take(device_code, 2000)).toThrow(code('door.access_denied'));
  expect(() => logins.take(device_code, 9000)).toThrow(code('door.expired_token'));
});

test('wrong codes of one person, and logins from one address, are limited; right codes are not', () => {
  const logins = new DeviceLogins(true);
  const { user_code } = logins.begin('laptop', 'x', HOUR);
  const guess = (who: string) => logins.find('BBBB-BBBB', who);
  for (let n = 0; n < 10; n += 1) expect(() => guess('mallory')).toThrow(code('door.no_login'));
  expect(() => guess('mallory')).toThrow(code('door.too_many'));
  expect(() => guess('alice')).toThrow(code('door.no_login'));
  for (let n = 0; n < 20; n += 1) expect(logins.find(user_code, 'alice').address).toBeNull();
  for (let n = 1; n < 20; n += 1) logins.begin('laptop', 'x', HOUR);
  expect(() => logins.begin('laptop', 'x', HOUR)).toThrow(code('door.too_many'));
  expect(logins.begin('laptop', 'y', HOUR)).toMatchObject({ interval: 2, expires_in: 600 });
});
