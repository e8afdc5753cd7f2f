import { describe, expect, test } from 'vitest';
import { buildAttempts } from '../../../../src/client/explain/build-attempts.js';
import type { SeenCall } from '../../../../src/client/explain/read-calls.js';
import type { StepSummary } from '../../../../src/contracts/task.js';

const step = (status: StepSummary['status'], attempts: number, more: Partial<StepSummary> = {}): StepSummary => ({
  id: 'a',
  path: 'a',
  call: 'x.y',
  status,
  attempts,
  duration_ms: null,
  ...more,
});
const call = (more: Partial<SeenCall>): SeenCall => ({
  path: 'a',
  operation: 'x.y',
  scheduled_at: null,
  attempt: 1,
  started_at: '2026-01-01T00:00:00.000Z',
  ended_at: null,
  end: 'completed',
  problem: null,
  earlier: null,
  starts_at: null,
  worker: null,
  ...more,
});
const NO_WORDS = new Map<number, string>();
const error = { code: 'mine', message: 'no' };

describe('with a history', () => {
  test('the last two errors are known, and the output of earlier attempts', () => {
    const calls = [call({ attempt: 4, end: 'failed', problem: error, earlier: { code: 'other', message: 'x' } })];
    expect(
      buildAttempts(
        step('failed', 4),
        calls,
        new Map([
          [1, 'one'],
          [3, 'unused'],
        ]),
      ),
    ).toMatchObject([
      { number: 1, status: 'failed', error: null, last_words: 'one' },
      { number: 2, status: 'failed', error: null, last_words: null },
      { number: 3, status: 'failed', error: { code: 'other' }, last_words: null },
      { number: 4, status: 'failed', error, last_words: null },
    ]);
  });

  test('each round of a group counts its own attempts, and logs do not distinguish them', () => {
    const calls = [call({ attempt: 3, end: 'failed' }), call({})];
    const tries = buildAttempts(step('succeeded', 1), calls, new Map([[1, 'whose?']]));
    expect(tries.map(({ round, number, last_words }) => [round, number, last_words])).toEqual([
      [1, 1, null],
      [1, 2, null],
      [1, 3, null],
      [2, 1, null],
    ]);
  });

  test.each([
    ['running', { end: null }, 'running'],
    ['running', { end: null, started_at: null }, 'waiting'],
    ['running', { end: null, started_at: null, attempt: 0 }, 'waiting'],
    ['unknown', { end: null }, 'unknown'],
    ['cancelled', { end: 'cancelled' }, 'cancelled'],
    ['succeeded', { end: 'completed' }, 'succeeded'],
  ] as const)('a step that is %s, its call %j, has an attempt that is %s', (status, seen, expected) => {
    expect(buildAttempts(step(status, 1), [call(seen)], NO_WORDS)).toMatchObject([{ number: 1, status: expected }]);
  });
});

describe('without a history', () => {
  test('the number of attempts and the end of the last one are known', () => {
    expect(
      buildAttempts(
        step('denied', 2, { error }),
        [],
        new Map([
          [1, 'one'],
          [2, 'two'],
        ]),
      ),
    ).toMatchObject([
      { number: 1, status: 'failed', error: null, last_words: 'one' },
      { number: 2, status: 'failed', error, last_words: null },
    ]);
    expect(buildAttempts(step('succeeded', 1), [], NO_WORDS)).toMatchObject([{ status: 'succeeded', error: null }]);
  });

  test('a step that is not a call, or was never tried, has no attempts', () => {
    expect(buildAttempts(step('failed', 3, { call: null }), [], NO_WORDS)).toEqual([]);
    expect(buildAttempts(step('skipped', 0), [], NO_WORDS)).toEqual([]);
  });
});
