import { expect, test } from 'vitest';
import { RateLimit } from '../../../../src/doors/http/rate-limit.js';

test('a caller has a burst, then as many requests as are refilled over time; other callers have their own', () => {
  let now = 0;
  const limit = new RateLimit({ burst: 3, perSecond: 2 }, () => now);
  const take =
    (caller = 'a') =>
    () =>
      limit.take(caller);
  for (let count = 0; count < 3; count += 1) expect(take()).not.toThrow();
  expect(take()).toThrow(expect.objectContaining({ code: 'door.too_many', details: { retry_after: 1 } }));
  expect(take('b')).not.toThrow();
  now = 499;
  expect(take()).toThrow();
  now = 501;
  expect(take()).not.toThrow();
  expect(take()).toThrow();
  now = 60_000;
  for (let count = 0; count < 3; count += 1) expect(take()).not.toThrow();
  expect(take()).toThrow();
});
