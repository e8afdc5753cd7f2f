import { expect, test } from 'vitest';
import type { Seal } from '../../../../src/contracts/seal.js';
import { callerOf, callerToSeal } from '../../../../src/rules/tasks/persons.js';

test.each([
  [null, 'person', 'person'],
  [null, 'ci', 'ci'],
  [null, 'agent', 'agent'],
  [null, 'session', undefined],
  [null, 'child', undefined],
  [null, 'unknown', undefined],
  [null, undefined, undefined],
  ['s-1', 'person', 'session'],
  ['s-1', undefined, 'session'],
])('with the session %s and the claim %s, the caller is %s', (session, caller, sealed) => {
  expect(callerToSeal({ session, caller: caller as never })).toBe(sealed);
});

test('the caller of a task is that of its seal, and `child` for a task that another task called', () => {
  const seal = { caller: 'ci' } as Seal;
  expect(callerOf({ seal })).toBe('ci');
  expect(callerOf({ seal, child: {} })).toBe('child');
});
