import { beforeEach, expect, test, vi } from 'vitest';
import { beforeStep } from '../../../../src/workflows/task/before-step.js';

const temporal = vi.hoisted(() => ({ length: 0, size: 0 }));

vi.mock('@temporalio/workflow', async (original) => ({
  ...(await original<object>()),
  workflowInfo: () => ({
    continueAsNewSuggested: true,
    historyLength: temporal.length,
    historySize: temporal.size,
  }),
}));

beforeEach(() => {
  Object.assign(temporal, { length: 5000, size: 5e6 });
});

/** Whether a step of a task with an open called task waits for a new run. */
function isWindingUp(): boolean {
  const life = { paused: false, pendingTasks: 1 };
  const branchStop = { check: () => {}, wait: () => new Promise(() => {}) };
  return beforeStep(life as never, branchStop as never) !== undefined;
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
