import { ApplicationFailure } from '@temporalio/activity';
import { expect, test } from 'vitest';
import { noticeFailure } from '../../../../src/activities/notices/send-notice.js';
import { AbilityError } from '../../../../src/contracts/problem.js';

const refused = Object.assign(new Error('connect ECONNREFUSED 10.1.2.3:80'), { code: 'ECONNREFUSED' });

test.each([
  [new DOMException('The operation was aborted', 'TimeoutError'), 'The receiver did not answer within 10 s'],
  [refused, 'The receiver was not reached: ECONNREFUSED'],
])('an attempt that received no answer says so, without the address: %s', (error, message) => {
  expect(noticeFailure(error)).toMatchObject({ type: 'unavailable.connection', message, nonRetryable: false });
});

test('what the policy forbids is not retried, even if only the connection detected it', () => {
  const denied = new AbilityError({ code: 'denied.host', message: 'The policy does not allow a.test' });
  for (const error of [denied, Object.assign(new TypeError('failed'), { cause: denied })]) {
    expect(noticeFailure(error)).toBeInstanceOf(ApplicationFailure);
    expect(noticeFailure(error)).toMatchObject({ message: denied.message, nonRetryable: true });
  }
});
