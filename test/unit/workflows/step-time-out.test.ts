import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { PlanStep } from '../../../src/contracts/plan.js';
import { runTree } from '../../property/run-tree.js';
import { Script } from '../../property/script.js';
import { planOf } from '../../property/trees.js';

/** What is requested from Temporal for each call. */
const requested = vi.hoisted(() => [] as { retry?: unknown; scheduleToCloseTimeout?: number }[]);

vi.mock('@temporalio/workflow', async () => {
  const { fakeWorkflow } = await import('../../property/fake-workflow.js');
  const proxyActivities: typeof fakeWorkflow.proxyActivities = (options) => {
    requested.push(options);
    return fakeWorkflow.proxyActivities(options);
  };
  return { ...fakeWorkflow, proxyActivities };
});

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterAll(() => {
  vi.useRealTimers();
});
beforeEach(() => {
  requested.length = 0;
});

/** Our own limit ends a call this many milliseconds before that of Temporal. */
const MARGIN = 5000;

/** Milliseconds that a call with a time-out of its own may take. */
async function limitOf(timeout: string, max_ms: number | null): Promise<number> {
  const { task } = await import('../../../src/workflows/task.js');
  const steps: PlanStep[] = [{ id: 'a', verb: 'call', call: 'op.read', with: {}, timeout }];
  const plan = planOf(steps);
  const limits = { ...plan.limits, max_ms, task_ms: 900_000 };
  await runTree(task, { plan: { ...plan, limits }, input: {}, script: new Script(1, {}, {}, undefined) });
  const [{ scheduleToCloseTimeout = 0 } = {}] = requested;
  return scheduleToCloseTimeout - MARGIN;
}

test('the policy of the project caps the time-out of a step when it is called', async () => {
  expect(await limitOf('5m', 20_000)).toBe(20_000);
});

test('a time-out below it, or without a policy, stays that of the step', async () => {
  expect(await limitOf('10s', 20_000)).toBe(10_000);
  requested.length = 0;
  expect(await limitOf('5m', null)).toBe(300_000);
});
