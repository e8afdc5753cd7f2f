import { expect, test } from 'vitest';
import { delayOf } from '../../../../src/activities/failures.js';
import { askRetryCondition, jittered, withNote } from '../../../../src/rules/steps/retry-condition.js';

test('a wait with jitter is between half of it and all of it', () => {
  expect([0, 0.5, 0.999999].map((part) => jittered(1000, () => part))).toEqual([500, 750, 1000]);
});

test('the wait after an attempt grows by the policy before jitter is applied, and never exceeds its maximum', () => {
  const policy = { initialInterval: 1000, backoffCoefficient: 3, maximumInterval: 5000 };
  const waits = (asked: number, random?: () => number) =>
    [1, 2, 3, 4].map((attempt) => delayOf(policy, attempt, asked, random));
  expect(waits(0, () => 1)).toEqual([1000, 3000, 5000, 5000]);
  expect(waits(0, () => 0)).toEqual([500, 1500, 2500, 2500]);
  // What the other side asks for is the least.
  expect(waits(4000, () => 0)).toEqual([4000, 4000, 4000, 4000]);
  expect(waits(4000)).toEqual([4000, 4000, 5000, 5000]);
  expect(waits(60_000)).toEqual([60_000, 60_000, 60_000, 60_000]);
});

test('a note is added to the message of a failure', () => {
  const problem = { code: 'a.b', message: 'No.' };
  expect(withNote(problem, 'not tried again')).toEqual({ code: 'a.b', message: 'No. (not tried again)' });
  expect(withNote(problem, undefined)).toEqual(problem);
});

test('a condition sees the failure as `steps.<id>.error` shows it', () => {
  const error = { code: 'http.503', message: 'busy', details: { status: 503 } };
  const ask = (source: string) => askRetryCondition(source, error, 2);
  expect(ask('error.details.status == 503 && attempt == 2')).toEqual({ again: true });
  expect(ask("error.code.startsWith('timeout')")).toEqual({ again: false });
  expect(ask('has(error.step)')).toEqual({ again: false });
  expect(ask('error.step == "a"')).toMatchObject({ again: false, note: expect.stringContaining('`retry.if` failed') });
});
