import { expect, test } from 'vitest';
import type { ItemFailure } from '../../../../src/contracts/loops.js';
import { describeTurns, describeTurnsInLine, type TurnsRow } from '../../../../src/rules/steps/describe-items.js';

const failure = (item: number, more: Partial<ItemFailure> = {}): ItemFailure => ({
  item,
  status: 'failed',
  path: `hosts/${item}/check`,
  attempts: 1,
  error: { code: 'mine', message: 'no\nmore' },
  ...more,
});
const loop = (items: Partial<TurnsRow['items']>, more: Partial<TurnsRow> = {}): TurnsRow => ({
  path: 'hosts',
  status: 'failed',
  attempts: 0,
  items: { verb: 'foreach', total: 3, succeeded: 3, ...items },
  ...more,
});

test.each<[TurnsRow, string]>([
  [loop({}), '3 of 3 succeeded'],
  [loop({ total: 0, succeeded: 0 }), 'no items'],
  [loop({ succeeded: 1, skipped: 1, not_run: 1 }), '1 of 3 succeeded, 1 skipped, 1 not run'],
  [loop({ verb: 'repeat', total: 1, succeeded: 1 }), '1 turn'],
  [
    loop({ verb: 'repeat', succeeded: 2, failed: 1 }, { path: 'r', failures: [failure(2, { path: 'r/2/a' })] }),
    '2 of 3 turns succeeded; failed: turn 2: mine: no',
  ],
  [
    loop({ succeeded: 2, failed: 1 }, { failures: [failure(1, { label: 'b', attempts: 3 })] }),
    '2 of 3 succeeded; failed: item 1 (b) after 3 attempts: mine: no',
  ],
  [
    loop({ succeeded: 2, failed: 1 }, { failures: [failure(1, { rounds: 2, attempts: 3 })] }),
    '2 of 3 succeeded; failed: item 1 after 2 rounds, the last of 3 attempts: mine: no',
  ],
  [loop({ succeeded: 2, failed: 1 }, { failures_left_out: 1 }), '2 of 3 succeeded, 1 failed; 1 not listed'],
  [
    loop({ succeeded: 0, running: 3, now: [{ item: 0, label: 'a' }] }),
    '0 of 3 succeeded, 3 running: item 0 (a) and 2 more',
  ],
  [{ path: 'hosts/*/check', status: 'succeeded', attempts: 3, turns: 3 }, '3 turns'],
  [
    { path: 'hosts/*/check', status: 'failed', attempts: 22, turns: 20, failed_turns: 1 },
    'failed in 1 of 20 turns, 22 attempts',
  ],
])('an account of a loop is one line: %#', (row, line) => {
  expect(describeTurnsInLine(row, 5)).toBe(line);
});

test('a failure without an error is named only by its item, and one with an empty message by its code', () => {
  const line = (more: Partial<ItemFailure>) => {
    const { error: _, ...rest } = failure(1);
    return describeTurnsInLine(loop({ succeeded: 2, failed: 1 }, { failures: [{ ...rest, ...more }] }), 1);
  };
  expect(line({})).toBe('2 of 3 succeeded; failed: item 1');
  expect(line({ error: { code: 'mine', message: '' } })).toBe('2 of 3 succeeded; failed: item 1: mine: ');
});

test('running items are named, without a count of others if all are named', () => {
  const now = [{ item: 0, label: 'a' }, { item: 2 }];
  expect(describeTurnsInLine(loop({ succeeded: 1, running: 2, now }), 1)).toBe(
    '1 of 3 succeeded, 2 running: item 0 (a), item 2',
  );
});

test('a step outside loops has no account', () => {
  expect(describeTurns({ path: 'seed', status: 'succeeded', attempts: 3 }, 5)).toBeUndefined();
});

test('an unknown outcome is reported before failures, and unlisted ones are counted', () => {
  const failures = [failure(0), failure(1), failure(2, { status: 'unknown' })];
  const description = describeTurns(
    loop({ total: 9, succeeded: 2, failed: 6, unknown: 1 }, { failures, failures_left_out: 4 }),
    2,
  );
  expect(description?.head).toBe('2 of 9 succeeded, 1 outcome unknown, 6 failed');
  expect(description?.failures.map(({ text }) => text)).toEqual([
    'outcome unknown: item 2: mine: no',
    'failed: item 0: mine: no',
  ]);
  expect(description?.rest).toBe('5 more not listed');
});

test('terminal control characters are shown in labels and messages of results from other sources', () => {
  const bad = failure(0, { label: 'a\u001b[2J', error: { code: 'mine', message: '\u202ehidden' } });
  const line = describeTurnsInLine(loop({ succeeded: 2, failed: 1 }, { failures: [bad] }), 1);
  expect(line).toContain('item 0 (a\\u001b[2J)');
  expect(line).toContain('mine: \\u202ehidden');
});
