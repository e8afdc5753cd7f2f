import { beforeEach, expect, test, vi } from 'vitest';
import { beforeStep } from '../../../../src/workflows/task/before-step.js';

const temporal = vi.hoisted(() => ({ length: 0, size: 0, patches: new Set<string>() }));

vi.mock('@temporalio/workflow', async (original) => ({
  ...(await original<object>()),
  patched: (id: string) => temporal.patches.has(id),
  workflowInfo: () => ({
    continueAsNewSuggested: true,
    historyLength: temporal.length,
    historySize: temporal.size,
  }),
}));

beforeEach(() => {
  Object.assign(temporal, { length: 5000, size: 5e6, patches: new Set(['new-run-after-called', 'new-run-by-size']) });
});

/** Whether a step of a task with an open called task waits for a new run. */
function isWindingUp(): boolean {
  const parts = { task: { isSinceEngine2: true }, life: { paused: false, called: 1, atWork: 1, changes: 0 } };
  const halt = { check: () => {}, wait: () => new Promise(() => {}) };
  return beforeStep(parts as never, halt as never) !== undefined;
}

test('a new run is put off while a called task is open', () => {
  expect(isWindingUp()).toBe(false);
});

test.each([
  ['events', { length: 20_000 }],
  ['bytes', { size: 21 * 1024 * 1024 }],
])('a new run is put off no longer than the server allows in %s', (_, history) => {
  Object.assign(temporal, history);
  expect(isWindingUp()).toBe(true);
});

test('in histories of earlier builds the size does not count', () => {
  temporal.size = 21 * 1024 * 1024;
  temporal.patches.delete('new-run-by-size');
  expect(isWindingUp()).toBe(false);
});
