import { expect, test } from 'vitest';
import { USER_KEY } from '../../../../src/contracts/names.js';
import { deliveryKey } from '../../../../src/rules/tasks/delivery-key.js';
import { firingKey } from '../../../../src/rules/tasks/firing-key.js';

test('a delivery whose id is a valid key has that key', () => {
  expect(deliveryKey('github', '72d3162e-cc78-11e3-81ab-4c9367dc0958')).toBe('72d3162e-cc78-11e3-81ab-4c9367dc0958');
});

test('any other delivery has a valid key from its webhook, and the same one each time', () => {
  const ids = ['a b', '../x', '', 'x'.repeat(65)];
  const keys = [...ids.map((id) => deliveryKey('github', id)), deliveryKey('gitlab', 'a b')];
  for (const key of keys) expect(key).toMatch(USER_KEY);
  expect(new Set(keys).size).toBe(keys.length);
  expect(keys[0]).toMatch(/^github-[0-9a-f]{20}$/);
  expect(deliveryKey('github', 'a b')).toBe(keys[0]);
});

test('a firing has the key of its schedule and its time, without fractions of seconds', () => {
  const key = firingKey('nightly', new Date('2026-11-23T03:00:00.250Z'));
  expect(key).toBe('nightly-20261123T030000Z');
  expect(key).toMatch(USER_KEY);
});
