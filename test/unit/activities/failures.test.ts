import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { CallFailure } from '../../../src/activities/call/call-failure.js';
import { delayOf, problemOf, type RetryFacts, toFailure } from '../../../src/activities/failures.js';
import type { Effect } from '../../../src/contracts/effects.js';
import { RETRY } from '../../../src/rules/calls/call-defaults.js';

const FACTS: RetryFacts = {
  effects: 'read',
  errors: undefined,
  attempt: 1,
  attemptsLeft: 1,
  unclearBefore: false,
  arrivedBefore: false,
  hooks: [],
};

/** What Temporal learns about a failed attempt. */
function outcomeOf(code: string, unclear: boolean, facts: Partial<RetryFacts>) {
  const failure = toFailure(new CallFailure({ code, message: 'm' }, { unclear }), { ...FACTS, ...facts });
  if (!(failure instanceof ApplicationFailure)) throw failure;
  return { code: failure.type, again: !failure.nonRetryable };
}

describe('after the last attempt, the code of a call that may have had its effect', () => {
  test.each<[Effect, string]>([
    ['read', 'unavailable.connection'],
    ['external_read', 'unavailable.connection'],
    ['write_idempotent', 'unavailable.connection'],
    ['write_additive', 'outcome.unknown'],
    ['destructive', 'outcome.unknown'],
  ])('%s: %s', (effects, code) => {
    expect(outcomeOf('unavailable.connection', true, { effects, attemptsLeft: 0 })).toEqual({ code, again: false });
    const later = { effects, attemptsLeft: 0, unclearBefore: true };
    expect(outcomeOf('unavailable.connection', false, later)).toEqual({ code, again: false });
  });
});

test('a call that certainly had no effect fails with its own code, whatever effects it declares', () => {
  expect(outcomeOf('script.exit', false, { effects: 'destructive', attemptsLeft: 0 })).toEqual({
    code: 'script.exit',
    again: false,
  });
});

test('while the author allows another attempt, an unclear one is retried under its own code', () => {
  expect(outcomeOf('timeout.call', true, { effects: 'write_additive' })).toEqual({ code: 'timeout.call', again: true });
});

test('an unclear attempt that may not be repeated is unknown, however many attempts are left', () => {
  const facts = { effects: 'write_additive', errors: ['script'] } as const;
  expect(outcomeOf('timeout.call', true, facts)).toEqual({ code: 'outcome.unknown', again: false });
});

test.each(['timeout.step', 'guard.denied', 'mcp.definition_changed', 'http.404'])('%s is not retried', (code) => {
  expect(outcomeOf(code, false, {})).toEqual({ code, again: false });
});

test('a time-out of the step is not retried either, even if the author names it', () => {
  expect(outcomeOf('timeout.step', false, { errors: ['timeout'] })).toEqual({ code: 'timeout.step', again: false });
});

test('an internal error is not retried', () => {
  const failure = toFailure(new TypeError('oops'), FACTS) as ApplicationFailure;
  expect(failure).toMatchObject({ type: 'internal.error', nonRetryable: true });
});

const changed = { code: 'script.changed', message: 'm' };

describe('whether a failed attempt of a repeatable call is retried', () => {
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
    expect(toFailure(failure, { ...FACTS, attemptsLeft: 2, ...facts })).toMatchObject({
      type: 'script.changed',
      nonRetryable: !again,
    });
  });
});

/** The failure that Temporal receives for an error, with its details besides the problem. */
function failed(error: unknown, facts: Partial<RetryFacts> = {}) {
  const failure = toFailure(error, { ...FACTS, ...facts }) as ApplicationFailure;
  const [problem, context] = failure.details as [Record<string, unknown>, Record<string, unknown>];
  return { failure, problem, context };
}

describe('a failed attempt reports', () => {
  const unclear = new CallFailure({ code: 'timeout.call', message: 'm' }, { unclear: true });
  const lost = new CallFailure({ code: 'unavailable.connection', message: 'm' }, { unclear: true });
  const answer = new CallFailure({ code: 'shop.sold_out', message: 'm' }, { isAnswer: true });
  const arrived = new CallFailure({ code: 'api.output_invalid', message: 'm' }, { hasArrived: true });
  const hooks = [{ hook_id: 'h', phase: 'PreAbilityCall', path: 'a', status: 'ok', decision: 'allow' }] as const;

  test.each<[string, unknown, Partial<RetryFacts>, object]>([
    ['only its number', new CallFailure(changed), { attempt: 3 }, { attempt: 3 }],
    [
      'that its effect is unclear, and that it was cut',
      unclear,
      { effects: 'destructive' },
      { attempt: 1, unclear: true, cut: true },
    ],
    ['that its effect is unclear if it was not cut', lost, { effects: 'destructive' }, { attempt: 1, unclear: true }],
    ['nothing about an effect that may be repeated', unclear, { effects: 'read' }, { attempt: 1 }],
    [
      'that an earlier one is unclear',
      new CallFailure(changed),
      { effects: 'destructive', unclearBefore: true },
      { attempt: 1, unclear: true },
    ],
    ['that it is an answer', answer, {}, { attempt: 1, answer: true }],
    ['that the call was answered', arrived, {}, { attempt: 1, arrived: true }],
    [
      'that an earlier one was answered',
      new CallFailure(changed),
      { arrivedBefore: true },
      { attempt: 1, arrived: true },
    ],
    ['the answers of its hooks', new CallFailure(changed), { hooks }, { attempt: 1, hooks }],
  ])('%s', (_, error, facts, context) => {
    expect(failed(error, facts).context).toEqual(context);
  });
});

describe('a failure that is an answer is retried', () => {
  const answer = new CallFailure({ code: 'script.exit', message: 'm' }, { isAnswer: true });
  const arrived = new CallFailure({ code: 'unavailable.connection', message: 'm' }, { hasArrived: true });

  test.each<[string, CallFailure, Partial<RetryFacts>, boolean]>([
    ['only if the step names it', answer, {}, false],
    ['if the step names it', answer, { errors: ['script.exit'] }, true],
    ['if it may be repeated', arrived, { effects: 'read' }, true],
    ['not if it must not be repeated', arrived, { effects: 'write_additive' }, false],
    [
      'if it must not be repeated but the step names it',
      arrived,
      { effects: 'write_additive', errors: ['unavailable'] },
      true,
    ],
  ])('%s', (_, failure, facts, again) => {
    expect(failed(failure, facts).failure.nonRetryable).toBe(!again);
  });
});

describe('a condition of the step', () => {
  const failureUnder = (source: string) =>
    failed(new CallFailure(changed), { condition: source, delayMs: 7, attempt: 2, attemptsLeft: 1 }).failure;

  test('decides whether another attempt follows', () => {
    expect(failureUnder('attempt < 3')).toMatchObject({ nonRetryable: false, nextRetryDelay: 7 });
    expect(failureUnder('attempt < 2')).toMatchObject({ nonRetryable: true });
    expect(failureUnder('attempt < 2').nextRetryDelay).toBeUndefined();
  });
});

describe('what Temporal stores of an error', () => {
  test('has a message of bounded length, in both places', () => {
    const { failure, problem } = failed(new CallFailure({ code: 'script.exit', message: 'x'.repeat(9000) }));
    expect([failure.message.length, String(problem.message).length]).toEqual([4000, 4000]);
  });

  test('has a stack only for an internal error', () => {
    expect(failed(new CallFailure(changed)).failure.stack).toBe('');
    const oops = failed(new TypeError('oops')).failure;
    expect(oops.stack).not.toBe('');
    expect(oops).toMatchObject({ message: 'TypeError: oops', cause: { message: 'oops' } });
  });

  test('is the error itself if Temporal created it', () => {
    for (const error of [new CancelledFailure('c'), ApplicationFailure.create({ type: 't' })]) {
      expect(toFailure(error, FACTS)).toBe(error);
    }
  });

  test('reports what was last seen of a call whose outcome is unknown', () => {
    const lost = new CallFailure({ code: 'timeout.call', message: 'no answer' }, { unclear: true });
    expect(failed(lost, { effects: 'destructive', attemptsLeft: 0 }).problem).toMatchObject({
      code: 'outcome.unknown',
      message: expect.stringContaining('no answer'),
      details: { seen: { code: 'timeout.call', message: 'no answer' } },
    });
  });

  test('is never retried without facts about attempts', () => {
    const failure = toFailure(new CallFailure(changed), undefined, { place: 'x' }) as ApplicationFailure;
    expect(failure).toMatchObject({ type: 'script.changed', nonRetryable: true, details: [changed, { place: 'x' }] });
  });
});

describe('the wait before another attempt', () => {
  const longest = () => 1;
  const policy = { initialInterval: 100, backoffCoefficient: 3, maximumInterval: 1000 };

  test.each([
    [1, 100],
    [2, 300],
    [3, 900],
    [4, 1000],
  ])('after attempt %i is at most %i ms', (attempt, ms) => {
    expect(delayOf(policy, attempt, 0, longest)).toBe(ms);
    expect(delayOf(policy, attempt, 0, () => 0)).toBeLessThanOrEqual(ms);
  });

  test('follows the default policy if the step has none', () => {
    expect(delayOf(undefined, 1, 0, longest)).toBe(RETRY.firstMs);
    expect(delayOf(undefined, 2, 0, longest)).toBe(RETRY.firstMs * RETRY.factor);
    expect(delayOf(undefined, 50, 0, longest)).toBe(RETRY.maxMs);
  });

  test('is never shortened by the default if the first wait is longer', () => {
    expect(delayOf({ initialInterval: RETRY.maxMs * 2 }, 1, 0, longest)).toBe(RETRY.maxMs * 2);
  });
});

test.each([
  ['an error of the program', new TypeError('no function'), 'TypeError: no function'],
  ['a thrown text', 'gone', 'gone'],
])('%s becomes an internal error with the same text', (_, error, message) => {
  expect(problemOf(error)).toEqual({ code: 'internal.error', message });
});
