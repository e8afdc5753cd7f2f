import { expect, test } from 'vitest';
import type { StepStatus } from '../../../../../../src/contracts/states.js';
import type { LiveRow } from '../../../../../../src/doors/cli/output/live/live-rows.js';
import { fitRows } from '../../../../../../src/doors/cli/output/live/live-view.js';

/** Rows named by their index: `s` succeeded, `p` pending, `r` running, `w` waiting, `f` failed; each with its output. */
function rowsOf(letters: string): LiveRow[] {
  const statuses: Record<string, StepStatus> = {
    s: 'succeeded',
    p: 'pending',
    r: 'running',
    w: 'waiting',
    f: 'failed',
  };
  return [...letters].map((letter, index) => ({
    status: statuses[letter] as StepStatus,
    lines: letter === 'r' ? [`${index}`, `${index} output`] : [`${index}`],
  }));
}

test('if there is room, everything is shown', () => {
  expect(fitRows(rowsOf('srp'), 4)).toEqual(['0', '1', '1 output', '2']);
});

test('running rows and those near them are kept, and the rest is counted in its place', () => {
  expect(fitRows(rowsOf('sssssrppppp'), 6)).toEqual(['  … 4 succeeded', '4', '5', '5 output', '6', '  … 4 pending']);
});

test('rows that wait, run or failed are kept wherever they are', () => {
  const lines = fitRows(rowsOf('sfssssssssrsssssssssw'), 8);
  expect(lines).toEqual(expect.arrayContaining(['1', '10', '20']));
  expect(lines.length).toBeLessThanOrEqual(8);
});

test('output gives way to steps', () => {
  expect(fitRows(rowsOf('rrrr'), 5)).toEqual(['0', '1', '2', '3']);
});

test('if important rows do not all fit, those that wait come first, then those that failed', () => {
  expect(fitRows(rowsOf('rrrrrfrrrrw'), 4)).toEqual(['0', '5', '10', '  … 8 running']);
});

test('no row is lost or counted twice, and the output always fits', () => {
  const rows = rowsOf('ssfssrrpwpppsrrssppffpw'.repeat(3));
  for (let room = 1; room < 120; room += 1) {
    const lines = fitRows(rows, room);
    expect(lines.length).toBeLessThanOrEqual(room);
    const counted = lines.flatMap((line) => [...line.matchAll(/(\d+) (?:succeeded|pending|running|waiting|failed)/g)]);
    const shown = lines.filter((line) => /^\d+$/.test(line)).length;
    expect(shown + counted.reduce((sum, [, count]) => sum + Number(count), 0)).toBe(rows.length);
  }
});

test('if nothing is running, the last completed rows are shown', () => {
  expect(fitRows(rowsOf('ssssspppppp'), 4)).toEqual(['  … 3 succeeded', '3', '4', '  … 6 pending']);
});
