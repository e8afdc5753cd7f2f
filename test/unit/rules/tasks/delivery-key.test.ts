import { expect, test } from 'vitest';
import { USER_KEY } from '../../../../src/contracts/names.js';
import { deliveryKey } from '../../../../src/rules/tasks/delivery-key.js';
import { deliveryIdOf, isTaskKey } from '../../../../src/rules/tasks/task-ids.js';

test('a delivery whose id is a valid key has that key', () => {
  expect(deliveryKey('72d3162e-cc78-11e3-81ab-4c9367dc0958')).toBe('72d3162e-cc78-11e3-81ab-4c9367dc0958');
});

test('any other delivery has a valid key, the same one each time', () => {
  const ids = ['a b', 'a:b', '../x', '', 'x'.repeat(65)];
  const keys = ids.map(deliveryKey);
  for (const key of keys) expect(key).toMatch(USER_KEY);
  expect(keys[0]).toMatch(/^[0-9a-f]{20}$/);
  expect(new Set(keys).size).toBe(ids.length);
  expect(deliveryKey('a b')).toBe(keys[0]);
});

test('the task of a delivery has a key of its own for each webhook', () => {
  const ids = ['forge', 'other'].map((webhook) => deliveryIdOf(webhook, deliveryKey('a:b')));
  expect(new Set(ids).size).toBe(2);
  for (const id of ids) expect(isTaskKey(id)).toBe(true);
});
