import { describe, expect, test } from 'vitest';
import { CallFailure } from '../../../src/activities/call-failure.js';
import { type RetryFacts, toFailure } from '../../../src/activities/failures.js';

const READ: RetryFacts = {
  effects: 'read',
  errors: undefined,
  attempt: 1,
  attemptsLeft: 2,
  unclearBefore: false,
  hooks: [],
};
const changed = { code: 'script.changed', message: 'm' };

describe('whether a failed attempt of a call that may be repeated is tried again', () => {
  test.each([
    ['one that another attempt may change', new CallFailure(changed), {}, true],
    ['one that is final', new CallFailure(changed, { isFinal: true }), {}, false],
    [
      'one that is final, though the step names it',
      new CallFailure(changed, { isFinal: true }),
      { errors: ['script'] },
      false,
    ],
    ['the last', new CallFailure(changed), { attemptsLeft: 0 }, false],
  ])('%s', (_, failure, facts, again) => {
    expect(toFailure(failure, { ...READ, ...facts })).toMatchObject({ type: 'script.changed', nonRetryable: !again });
  });
});
