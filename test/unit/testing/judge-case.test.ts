import { describe, expect, test } from 'vitest';
import type { StepSummary } from '../../../src/contracts/task.js';
import { type CaseOutcome, judgeCase } from '../../../src/testing/run-case.js';

const step = (path: string, status: StepSummary['status']): StepSummary => ({
  id: path.split('/').at(-1) ?? path,
  path,
  call: null,
  status,
  attempts: 1,
  duration_ms: 1,
});

const SUCCESS: CaseOutcome = {
  status: 'succeeded',
  output: { n: 1, rows: [1, 2] },
  error: null,
  steps: [step('seed', 'succeeded'), step('both/logs', 'skipped')],
  calls: [
    { call: 'db.write', path: 'seed', input: { id: 'u-1', email: 'a@b' } },
    { call: 'db.read', path: 'both/row', input: { id: 'u-1' } },
  ],
};
const FAILURE: CaseOutcome = {
  ...SUCCESS,
  status: 'failed',
  output: null,
  error: { code: 'http.409', message: 'The address is taken', step: 'signup' },
};

test('a case without expectations expects success', () => {
  expect(judgeCase({}, SUCCESS)).toEqual([]);
  expect(judgeCase({}, FAILURE)).toEqual([
    { kind: 'value', at: 'status', expected: 'succeeded', actual: 'failed' },
    { kind: 'problem', problem: FAILURE.error },
  ]);
});

test.each([
  [{ status: 'failed' as const }],
  [{ error: { code: 'http.409' } }],
  [{ status: 'failed' as const, error: { code: 'http.409', step: 'signup', message: 'taken' } }],
])('an expected failure passes: %j', (expected) => {
  expect(judgeCase(expected, FAILURE)).toEqual([]);
});

test.each([
  [{ code: 'http.500' }, 'error.code'],
  [{ code: 'http.409', step: 'seed' }, 'error.step'],
  [{ code: 'http.409', message: 'free' }, 'error.message (contains)'],
])('a different failure does not pass: %j', (error, at) => {
  expect(judgeCase({ error }, FAILURE)[0]).toMatchObject({ kind: 'value', at });
});

test('an expected error that did not occur is reported', () => {
  expect(judgeCase({ error: { code: 'http.409' } }, SUCCESS)).toEqual([
    { kind: 'value', at: 'error', expected: 'http.409', actual: null },
  ]);
});

describe('the output', () => {
  test('is compared as a whole, or in part', () => {
    expect(judgeCase({ output: { n: 1, rows: [1, 2] } }, SUCCESS)).toEqual([]);
    expect(judgeCase({ output_includes: { n: 1 } }, SUCCESS)).toEqual([]);
    expect(judgeCase({ output: { n: 1 } }, SUCCESS)).toEqual([{ kind: 'value', at: 'output.rows', actual: [1, 2] }]);
    expect(judgeCase({ output_includes: { n: 2 } }, SUCCESS)).toEqual([
      { kind: 'value', at: 'output.n', expected: 1 + 1, actual: 1 },
    ]);
  });

  test('of a task that ended differently is not compared, since it has none', () => {
    expect(judgeCase({ output: 1 }, FAILURE).map((failure) => failure.kind)).toEqual(['value', 'problem']);
  });
});

describe('the calls', () => {
  test('are compared in order, their input in part', () => {
    expect(judgeCase({ calls: ['db.write', { call: 'db.read', with: { id: 'u-1' } }] }, SUCCESS)).toEqual([]);
    expect(judgeCase({ calls: [{ call: 'db.write', with: { id: 'u-2' } }, 'db.read'] }, SUCCESS)).toEqual([
      { kind: 'value', at: 'calls[0].with.id (seed)', expected: 'u-2', actual: 'u-1' },
    ]);
  });

  test('that differ are shown next to the expected ones', () => {
    expect(judgeCase({ calls: ['db.write', 'db.drop'] }, SUCCESS)).toEqual([
      {
        kind: 'calls',
        lines: [
          { mark: ' ', text: 'db.write  (seed)' },
          { mark: '-', text: 'db.drop' },
          { mark: '+', text: 'db.read  (both/row)' },
        ],
      },
    ]);
    expect(judgeCase({ calls: [] }, SUCCESS)).toHaveLength(1);
  });
});

test('steps are named by id or by path', () => {
  expect(judgeCase({ steps: { seed: 'succeeded', logs: 'skipped', 'both/logs': 'skipped' } }, SUCCESS)).toEqual([]);
  expect(judgeCase({ steps: { seed: 'failed' } }, SUCCESS)).toEqual([
    { kind: 'value', at: 'steps.seed', expected: 'failed', actual: 'succeeded' },
  ]);
  expect(judgeCase({ steps: { other: 'failed' } }, SUCCESS)).toEqual([
    { kind: 'value', at: 'steps.other', expected: 'failed' },
  ]);
});
