import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { CallStep } from '../../../src/contracts/plan.js';
import { runTree } from '../../property/run-tree.js';
import { Script } from '../../property/script.js';
import { planOf } from '../../property/trees.js';

vi.mock('@temporalio/workflow', async () => (await import('../../property/fake-workflow.js')).fakeWorkflow);

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterAll(() => {
  vi.useRealTimers();
});

test.each(['engine.unsupported', 'seal.unknown_key'])(
  'a call that a worker refuses with %s is made again elsewhere',
  async (code) => {
    const { task } = await import('../../../src/workflows/task.js');
    const call: CallStep = { id: 'made', verb: 'call', call: 'op.add', with: {} };
    const script = new Script(1, { made: [code, 'ok'] }, {}, undefined);
    const { status, steps, effects } = await runTree(task, { plan: planOf([call]), input: {}, script });
    expect({ status, steps }).toEqual({ status: 'succeeded', steps: { made: 'succeeded' } });
    expect(effects.map(({ path }) => path)).toEqual(['made', 'made']);
  },
);
