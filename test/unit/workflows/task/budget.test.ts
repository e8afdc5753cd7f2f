import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { CleanupBudget } from '../../../../src/workflows/task/budget.js';

vi.mock('@temporalio/workflow', async () => (await import('../../../property/fake-workflow.js')).fakeWorkflow);

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterAll(() => {
  vi.useRealTimers();
});

const limits = { max_ms: null, task_ms: 1, cleanup_ms: 300_000, expires_ms: 1, output_bytes: 1 };

test('by default a call of the clean-up has the time that it states, however late it begins', () => {
  const budget = new CleanupBudget(limits);
  expect(budget.left(1_200_000)).toBe(1_200_000);
  expect(budget.left(60_000)).toBe(300_000);
  vi.setSystemTime(Date.now() + 310_000);
  expect(budget.left(1_200_000)).toBe(1_200_000);
  // What is no call ends.
  expect(budget.capWait(60_000)).toBe(0);
});

test('a limit that the author has set ends calls', () => {
  const budget = new CleanupBudget({ ...limits, cleanup_stated: true });
  expect(budget.left(1_200_000)).toBe(300_000);
  vi.setSystemTime(Date.now() + 310_000);
  expect(budget.left(1_200_000)).toBe(0);
  expect(budget.exhausted().problem).toMatchObject({ code: 'timeout.cleanup', message: expect.stringContaining('5m') });
});
