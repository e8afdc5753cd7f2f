import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { PlanStep } from '../../../src/contracts/plan.js';
import { runTree } from '../../property/run-tree.js';
import { type Attempt, Script } from '../../property/script.js';
import { planOf } from '../../property/trees.js';

vi.mock('@temporalio/workflow', async () => (await import('../../property/fake-workflow.js')).fakeWorkflow);

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterAll(() => {
  vi.useRealTimers();
});

/** Each call fails at once. */
class Failing extends Script {
  constructor() {
    super(1, {}, {}, undefined);
  }

  override attempt(): Attempt {
    return { ms: 1, code: 'input.invalid' };
  }
}

/** Milliseconds between the attempts of a group, without that of the call in it. */
async function pausesOf(attempts: number, first: string, factor: number, max: string): Promise<number[]> {
  const { task } = await import('../../../src/workflows/task.js');
  const call: PlanStep = { id: 'a', verb: 'call', call: 'op.add', with: {}, continue_on_error: true };
  const stop: PlanStep = { id: 'stop', verb: 'fail', fail: { code: 'app.broken', message: 'no' } };
  const retry = { attempts, first, factor, max };
  const group: PlanStep = { id: 'group', verb: 'steps', retry, steps: [call, stop] };
  const { effects } = await runTree(task, { plan: planOf([group]), input: {}, script: new Failing() });
  return effects.slice(1).map(({ at }, index) => at - (effects[index]?.at ?? 0) - 1);
}

test('the pauses between the attempts of a group grow by their factor, up to their maximum', async () => {
  expect(await pausesOf(6, '1s', 2, '5s')).toEqual([1000, 2000, 4000, 5000, 5000]);
});

test('`first` applies even if it is longer than the maximum', async () => {
  expect(await pausesOf(3, '10s', 3, '5s')).toEqual([10_000, 10_000]);
});

test('a factor of one keeps the pauses constant', async () => {
  expect(await pausesOf(3, '2s', 1, '30s')).toEqual([2000, 2000]);
});
