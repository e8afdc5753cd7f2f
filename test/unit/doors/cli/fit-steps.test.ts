import { expect, test } from 'vitest';
import type { StepStatus } from '../../../../src/contracts/states.js';
import type { StepSummary } from '../../../../src/contracts/task.js';
import { fitSteps } from '../../../../src/doors/cli/fit-steps.js';

const step = (path: string, status: StepStatus): StepSummary => ({
  id: path,
  path,
  call: null,
  status,
  attempts: 1,
  duration_ms: null,
});

/** Steps s0, s1, ... of which some are at work; those before are done. */
function fitted(total: number, working: number[], room: number): string[] {
  const first = working[0] ?? total;
  const steps = Array.from({ length: total }, (_, at) => {
    if (working.includes(at)) return step(`s${at}`, 'running');
    return step(`s${at}`, at < first ? 'succeeded' : 'pending');
  });
  return fitSteps(
    steps,
    steps.map(({ path }) => path),
    room,
  );
}

test('what fits is shown as it is', () => {
  expect(fitted(3, [1], 3)).toEqual(['s0', 's1', 's2']);
  expect(fitted(0, [], 0)).toEqual([]);
});

test('of a table that is taller the steps at work are shown, and how many stand around them', () => {
  expect(fitted(20, [9], 5)).toEqual(['  ... 8 more above', 's8', 's9', 's10', '  ... 9 more below']);
  expect(fitted(20, [0], 5)).toEqual(['  ... 0 more above', 's0', 's1', 's2', '  ... 17 more below']);
  expect(fitted(20, [19], 5)).toEqual(['  ... 17 more above', 's17', 's18', 's19', '  ... 0 more below']);
  expect(fitted(20, [], 5).slice(1, 4)).toEqual(['s17', 's18', 's19']);
});

test('where more are at work than fit, the first of them are shown', () => {
  expect(fitted(20, [5, 6, 7, 8, 9, 15], 5).slice(1, 4)).toEqual(['s5', 's6', 's7']);
});

test('a group is at work as long as a step inside it, so the step inside decides', () => {
  const steps = [
    step('all', 'running'),
    ...Array.from({ length: 20 }, (_, at) => step(`all/s${at}`, at === 12 ? 'waiting' : 'succeeded')),
  ];
  const lines = steps.map(({ path }) => path);
  expect(fitSteps(steps, lines, 5)).toContain('all/s12');
});

test.each([0, 1, 2, 3, 4, 9])('never more lines than there is room for: %i', (room) => {
  for (const at of [0, 7, 19]) expect(fitted(20, [at], room).length).toBeLessThanOrEqual(room);
});
