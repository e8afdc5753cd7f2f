import { expect, test } from 'vitest';
import type { StepSummary } from '../../../../../../src/contracts/task.js';
import { renderChange, tookOf } from '../../../../../../src/doors/cli/output/result/render-result.js';

const step = (more: Partial<StepSummary>): StepSummary => ({
  id: 'run',
  path: 'run',
  call: 'db.write',
  status: 'succeeded',
  attempts: 1,
  duration_ms: 0,
  ...more,
});

test('a call that a guard denied was not made, and has no duration of its own', () => {
  expect(renderChange(step({ status: 'denied', attempts: 0 }))).toBe('  run denied');
});

test('the duration of a denied approval is the time that people took', () => {
  expect(tookOf(step({ call: null, status: 'denied', attempts: 0, duration_ms: 61_000 }))).toBe('1m 1s');
});

test.each([
  [{ duration_ms: 0 }, '0ms'],
  [{ duration_ms: null }, ''],
  [{ status: 'skipped' as const, attempts: 0 }, ''],
])('the duration of a step with %j is %j', (more, took) => {
  expect(tookOf(step(more))).toBe(took);
});
