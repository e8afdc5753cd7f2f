import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { QUERIES } from '../../../../src/contracts/names.js';
import type { CallStep, PlanStep } from '../../../../src/contracts/plan.js';
import { runTreeInRuns } from '../../../property/run-tree.js';
import { Script } from '../../../property/script.js';
import { planOf } from '../../../property/trees.js';

vi.mock('@temporalio/workflow', async () => (await import('../../../property/fake-workflow.js')).fakeWorkflow);

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterAll(() => {
  vi.useRealTimers();
});

test('the outcome of a decision is still answered in a later run of the task', async () => {
  const { task } = await import('../../../../src/workflows/task.js');
  const ask: PlanStep = {
    id: 'ask',
    verb: 'approval',
    approval: { title: 'Go?', expires: '90d', comment: 'optional' },
  };
  const call = (id: string): CallStep => ({ id, verb: 'call', call: 'op.add', with: {} });
  const plan = planOf([ask, call('one'), call('two')]);
  const script = new Script(1, {}, {}, undefined);
  const { result, runs, world } = await runTreeInRuns(task, { plan, input: {}, script }, 1);
  expect([result.status, runs]).toEqual(['succeeded', 2]);
  expect(world.handlers.get(QUERIES.decision)?.('of ask')).toMatchObject({ counted: true, status: 'approved' });
  expect(world.handlers.get(QUERIES.decision)?.('of nothing')).toBeNull();
});
