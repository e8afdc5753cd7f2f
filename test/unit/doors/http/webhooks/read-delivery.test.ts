import { expect, test } from 'vitest';
import { parseBody } from '../../../../../src/doors/http/webhooks/take-delivery.js';

test.each([
  ['bytes that are no UTF-8', Buffer.from([0x22, 0xff, 0x22])],
  ['nothing', Buffer.alloc(0)],
  ['a form', Buffer.from('payload=%7B%7D')],
])('a body of %s is not JSON', (_, bytes) => {
  expect(() => parseBody(bytes)).toThrow(/is (no JSON|not UTF-8)/);
});
