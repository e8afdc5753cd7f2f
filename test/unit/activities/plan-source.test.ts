import { describe, expect, test, vi } from 'vitest';
import { PlanSource } from '../../../src/activities/plan-source.js';
import type { Seal } from '../../../src/contracts/seal.js';
import type { TaskStart } from '../../../src/contracts/task.js';
import { signSeal } from '../../../src/planning/seal.js';
import { digestOf } from '../../../src/rules/canonical.js';
import { sealMark } from '../../../src/rules/seal-mark.js';
import { examplePlan } from '../rules/example-plan.js';

const PLAN = examplePlan();
const OTHER_CEL = { ...PLAN, cel: '0.0.1' };
const keys = { keys: new Map([['k', Buffer.alloc(32, 1)]]) };
const user = { name: 'ann', source: 'claimed' } as const;
const run = { workflowId: 't-1', runId: 'r-1' };

function startOf(input: string, more: Partial<Seal> = {}, plan = PLAN): TaskStart {
  const body = { plan: digestOf(plan), task: 't-1', input, user, confirmations: [] };
  const seal = { ...signSeal(body, keys), ...more };
  return { format: 1, plan, seal, input: {}, user, session: null, run: true, warnings: [] };
}

function sourceOver(start: TaskStart | undefined) {
  const readStart = vi.fn(async () => start as TaskStart);
  return { source: new PlanSource(keys, readStart, async () => undefined), readStart };
}

describe('an activity is admitted', () => {
  test('from memory, where this worker did the preflight', async () => {
    const start = startOf('one');
    const { source, readStart } = sourceOver(start);
    source.keep(PLAN, start);
    expect(await source.admit(sealMark(start.seal), run)).toMatchObject({
      plan: PLAN,
      seal: start.seal,
      user,
      session: null,
    });
    expect(readStart).not.toHaveBeenCalled();
  });

  test('by the first event of its task otherwise, which is read once', async () => {
    const start = startOf('one');
    const { source, readStart } = sourceOver(start);
    const first = await source.admit(sealMark(start.seal), run);
    expect(await source.admit(sealMark(start.seal), run)).toEqual(first);
    expect(readStart).toHaveBeenCalledOnce();
  });

  test('under what was started, where another preflight of the same key passed here', async () => {
    const [earlier, started] = [startOf('one'), startOf('two')];
    const { source } = sourceOver(started);
    source.keep(PLAN, earlier);
    expect((await source.admit(sealMark(started.seal), run)).seal).toEqual(started.seal);
  });
});

describe('an activity is refused', () => {
  test.each([
    ['that no workflow asked for', undefined, startOf('one')],
    ['of a workflow that was given nothing', run, undefined],
    ['of a task whose seal was changed', run, startOf('one', { input: 'two' })],
    ['of a workflow that carries the seal of another', { ...run, workflowId: 't-2' }, startOf('one')],
  ])('%s', async (_, at, start) => {
    const { source } = sourceOver(start);
    await expect(source.admit('0123456789abcdef', at)).rejects.toMatchObject({ code: 'seal.invalid' });
  });

  test('of a task that was planned for a build of another CEL, though another worker runs its workflow', async () => {
    const start = startOf('one', {}, OTHER_CEL);
    const { source } = sourceOver(start);
    await expect(source.admit(sealMark(start.seal), run)).rejects.toMatchObject({
      code: 'engine.unsupported',
      message: expect.stringContaining('CEL 0.0.1'),
    });
  });
});
