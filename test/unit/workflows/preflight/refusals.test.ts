import { ActivityFailure, ApplicationFailure, CancelledFailure, TimeoutFailure } from '@temporalio/common';
import { expect, test } from 'vitest';
import { AbilityError } from '../../../../src/contracts/problem.js';
import { readRefusal, unavailable } from '../../../../src/workflows/preflight/begin.js';

const failed = (cause: Error) =>
  new ActivityFailure('failed', 'ability:preflight', '1', 'NON_RETRYABLE_FAILURE', 'fake', cause);

test('a preflight that refused says why, and where', () => {
  const problem = { code: 'guard.denied', message: 'No.' };
  const at = { project: 'acme', environment: 'dev' };
  const details = [problem, { refused_in: at }];
  expect(readRefusal(failed(ApplicationFailure.create({ type: 'guard.denied', details })))).toEqual({ problem, at });
  const bare = failed(ApplicationFailure.create({ type: 'guard.denied', message: 'No.' }));
  expect(readRefusal(bare)).toEqual({ problem, at: undefined });
});

test('a preflight that did not end in time refused, too', () => {
  const late = readRefusal(failed(new TimeoutFailure('late', undefined, 'SCHEDULE_TO_CLOSE')));
  expect(late).toMatchObject({ problem: { code: 'worker.unavailable' }, at: undefined });
  expect(late?.problem.message).toContain('SCHEDULE_TO_CLOSE');
});

test.each([failed(new CancelledFailure('cancelled')), new CancelledFailure('cancelled'), new TypeError('broken')])(
  'is no refusal: %s',
  (error) => {
    expect(readRefusal(error)).toBeUndefined();
  },
);

test('R-000-71, R-000-73: a task that could not be formed fails with the code, the reason and what to do', () => {
  const location = { file: 'a.yaml', line: 3 };
  const problem = {
    code: 'input.invalid',
    message: 'n is missing',
    suggestion: 'Set n.',
    details: { path: 'n' },
    location,
  };
  const failure = unavailable(new AbilityError(problem).toProblem());
  expect(failure).toMatchObject({ type: 'input.invalid', message: 'input.invalid: n is missing', nonRetryable: true });
  expect(failure.details).toStrictEqual([
    {
      ...{ status: 'unavailable', code: 'input.invalid', reason: 'n is missing', suggestion: 'Set n.' },
      ...{ details: { path: 'n' }, location },
    },
  ]);
  expect(failure.stack).toBe('');
});

test('a refusal has no members for what there is not, and a message that fits into a history', () => {
  const failure = unavailable({ code: 'input.invalid', message: 'x'.repeat(5000) });
  expect(failure.message).toHaveLength(2000);
  const [refusal] = failure.details as object[];
  expect(Object.keys(refusal as object)).toEqual(['status', 'code', 'reason', 'suggestion']);
  expect(refusal).toMatchObject({ suggestion: null });
});
