import { ApplicationFailure } from '@temporalio/common';
import { describe, expect, test } from 'vitest';
import { CallFailure } from '../../../src/activities/call/call-failure.js';
import { type RetryFacts, toFailure } from '../../../src/activities/failures.js';
import type { Effect } from '../../../src/contracts/effects.js';

const FACTS: RetryFacts = {
  effects: 'read',
  errors: undefined,
  attempt: 1,
  attemptsLeft: 1,
  unclearBefore: false,
  arrivedBefore: false,
  hooks: [],
};

/** What Temporal is told of a failed attempt. */
function told(code: string, unclear: boolean, facts: Partial<RetryFacts>) {
  const failure = toFailure(new CallFailure({ code, message: 'm' }, { unclear }), { ...FACTS, ...facts });
  if (!(failure instanceof ApplicationFailure)) throw failure;
  return { code: failure.type, again: !failure.nonRetryable };
}

describe('after the last attempt, a call that may have had its effect', () => {
  test.each<[Effect, string]>([
    ['read', 'unavailable.connection'],
    ['external_read', 'unavailable.connection'],
    ['write_idempotent', 'unavailable.connection'],
    ['write_additive', 'outcome.unknown'],
    ['destructive', 'outcome.unknown'],
  ])('%s: %s', (effects, code) => {
    expect(told('unavailable.connection', true, { effects, attemptsLeft: 0 })).toEqual({ code, again: false });
    const later = { effects, attemptsLeft: 0, unclearBefore: true };
    expect(told('unavailable.connection', false, later)).toEqual({ code, again: false });
  });
});

test('a call that certainly had no effect has failed with its own code, whatever it changes', () => {
  expect(told('script.exit', false, { effects: 'destructive', attemptsLeft: 0 })).toEqual({
    code: 'script.exit',
    again: false,
  });
});

test('while an attempt is left that the author allowed, an unclear one is tried again under its own code', () => {
  expect(told('timeout.call', true, { effects: 'write_additive' })).toEqual({ code: 'timeout.call', again: true });
});

test('an unclear one that may not be tried again is unknown, however many attempts are left', () => {
  const facts = { effects: 'write_additive', errors: ['script'] } as const;
  expect(told('timeout.call', true, facts)).toEqual({ code: 'outcome.unknown', again: false });
});

test.each(['timeout.step', 'guard.denied', 'mcp.definition_changed', 'http.404'])('%s has no other attempt', (code) => {
  expect(told(code, false, {})).toEqual({ code, again: false });
});

test('a time-out of the step has none either where the author names it', () => {
  expect(told('timeout.step', false, { errors: ['timeout'] })).toEqual({ code: 'timeout.step', again: false });
});

test('a mistake of ours is not tried again', () => {
  const failure = toFailure(new TypeError('oops'), FACTS) as ApplicationFailure;
  expect(failure).toMatchObject({ type: 'internal.error', nonRetryable: true });
});

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
    expect(toFailure(failure, { ...FACTS, attemptsLeft: 2, ...facts })).toMatchObject({
      type: 'script.changed',
      nonRetryable: !again,
    });
  });
});
