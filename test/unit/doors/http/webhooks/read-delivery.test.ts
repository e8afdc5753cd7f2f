import { expect, test } from 'vitest';
import { parseBody } from '../../../../../src/doors/http/webhooks/read-delivery.js';
import { deliveryKey } from '../../../../../src/rules/tasks/delivery-key.js';

test.each([
  ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0x22])],
  ['nothing', Buffer.alloc(0)],
  ['a form', Buffer.from('payload=%7B%7D')],
])('a body of %s is not JSON', (_, bytes) => {
  expect(() => parseBody(bytes)).toThrow(/no JSON in UTF-8/);
});

test('an id that is a task key is used as the key; for any other id a key is derived, always the same, but different for each webhook', () => {
  const id = 'f1d2a7c0-72f2-11f0-8de9-0242ac120002';
  expect(deliveryKey('forge', id)).toBe(id);
  const made = deliveryKey('forge', 'a:b');
  expect(made).toMatch(/^forge-[0-9a-f]{20}$/);
  expect(deliveryKey('forge', 'a:b')).toBe(made);
  expect(new Set([made, deliveryKey('forge', 'a:c'), deliveryKey('other', 'a:b')]).size).toBe(3);
});
