import { describe, expect, test } from 'vitest';
import { asUnusableAnswer, CallFailure, factsOf } from '../../../../src/activities/call/call-failure.js';
import { AbilityError } from '../../../../src/contracts/problem.js';

const NOTHING = { unclear: false, isFinal: false, hasArrived: false, isAnswer: false };
const problem = (code: string) => ({ code, message: code });

describe('the facts of a failed attempt', () => {
  test.each<[string, unknown]>([
    ['a failure without facts', new CallFailure(problem('http.500'))],
    ['another error of ours', new AbilityError(problem('http.500'))],
    ['a mistake', new TypeError('broken')],
  ])('are empty for %s', (_, error) => {
    expect(factsOf(error)).toMatchObject(NOTHING);
  });

  test.each(['unclear', 'isFinal', 'hasArrived', 'isAnswer'] as const)('may be %s', (fact) => {
    expect(factsOf(new CallFailure(problem('http.500'), { [fact]: true }))).toMatchObject({ ...NOTHING, [fact]: true });
  });
});

describe('after a call has begun', () => {
  test.each(['script.output_invalid', 'output.too_large'])('%s means that it was made', (code) => {
    const failure = asUnusableAnswer(new AbilityError(problem(code)));
    expect(failure).toMatchObject({ code, hasArrived: true, unclear: false, message: expect.stringContaining(code) });
  });

  test.each<[string, unknown]>([
    ['another code', new AbilityError(problem('http.500'))],
    ['a mistake', new TypeError('broken')],
    ['a lost call', new CallFailure(problem('script.output_invalid'), { unclear: true })],
    ['a call that is known to have been made', new CallFailure(problem('file.missing'), { hasArrived: true })],
  ])('%s stays unchanged', (_, error) => {
    expect(asUnusableAnswer(error)).toBe(error);
  });

  test('an answer that its author declared a failure may be unusable', () => {
    const answer = new CallFailure(problem('script.output_invalid'), { isAnswer: true });
    expect(asUnusableAnswer(answer)).toMatchObject({ hasArrived: true });
  });
});
