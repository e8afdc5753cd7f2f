import { expect, test } from 'vitest';
import { attemptsOf, stepLimit } from '../../../../src/rules/calls/call-defaults.js';

const limits = (max_ms: number | null) => ({ max_ms, task_ms: 900_000, cleanup_ms: 1, expires_ms: 1, output_bytes: 1 });
const limitOf = (most: number | null, own: number | undefined, implementation = 60_000) =>
  stepLimit(limits(most), { implementation: { timeout_ms: implementation } as never }, own);

test.each([
  ['its own time-out', null, 300_000, 300_000],
  ['its own time-out, below that of its implementation', null, 10, 10],
  ['its own time-out, below the maximum of the policy', 400_000, 300_000, 300_000],
  ['the maximum of the policy, where its own time-out is above it', 5000, 300_000, 5000],
  ['the maximum of the policy, where it has none of its own', 5000, undefined, 5000],
  ['a minute, where no time-out is set', null, undefined, 60_000],
])('a step may take %s', (_, most, own, expected) => {
  expect(limitOf(most, own)).toBe(expected);
});

test('a step without a time-out of its own may take as long as its implementation', () => {
  expect(limitOf(null, undefined, 120_000)).toBe(120_000);
  expect(limitOf(null, undefined, 1000)).toBe(60_000);
});

test('a call whose effect may be repeated is tried three times, any other once, unless a number is specified', () => {
  expect([attemptsOf({ effects: 'read' }, undefined), attemptsOf({ effects: 'write_additive' }, undefined)]).toEqual([
    3, 1,
  ]);
  expect(attemptsOf({ effects: 'destructive' }, 4)).toBe(4);
});
