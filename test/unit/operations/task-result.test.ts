import { expect, test } from 'vitest';
import type { TaskResult } from '../../../src/contracts/task.js';
import { renderResult } from '../../../src/doors/cli/output/result/render-result.js';
import { shownResult, taskResult } from '../../../src/operations/task-result.js';
import { openTask } from '../doors/cli/output/live/example-task.js';

const { view } = openTask({ status: 'succeeded', intent: 'to see', caller: 'ci', files: [], worked_ms: 3 });

test('a result has its documented fields at every door: who started it, what for, and its files, too', () => {
  const shown = shownResult(view);
  expect(shown).toMatchObject({ intent: 'to see', caller: 'ci', files: [], status: 'succeeded' });
  expect(Object.keys(shown).filter((name) => !(name in taskResult.shape))).toEqual([]);
  expect(shown).not.toHaveProperty('worked_ms');
  expect(shown).not.toHaveProperty('progress');
  expect(taskResult.parse(shown)).toEqual(shown);
});

test('a field of a result that has no form of its own at the terminal is shown there nevertheless', () => {
  const added = { ...shownResult(view), cost_center: { id: 7 } } as TaskResult;
  expect(renderResult(added, (_, text) => text)).toContain('\ncost center: {"id":7}');
  expect(renderResult(shownResult(view), (_, text) => text)).not.toContain('digest');
});
