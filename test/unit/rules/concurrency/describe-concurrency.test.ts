import { expect, test } from 'vitest';
import { describeConcurrency, describeWait } from '../../../../src/rules/concurrency/describe-concurrency.js';

test('a lock is described with its limit and with what happens to other tasks', () => {
  expect(describeConcurrency({ key: 'k', limit: 1, on_busy: 'wait' } as never)).toBe(
    'one at a time with the key k; others wait',
  );
  expect(describeConcurrency({ key: 'k', limit: 3, on_busy: 'refuse' } as never)).toBe(
    'at most 3 at once with the key k; others are refused',
  );
});

test('a waiting task is described with the holders of the lock once they are known', () => {
  expect(describeWait({ key: 'k', held_by: ['a', 'b'] } as never)).toBe('its turn: k is held by a, b');
  expect(describeWait({ key: 'k', held_by: [] } as never)).toContain('the lock has not answered yet');
});
