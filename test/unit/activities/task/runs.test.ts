import { describe, expect, test, vi } from 'vitest';
import { type RunStart, Runs } from '../../../../src/activities/task/runs.js';
import { examplePlan } from '../../rules/example-plan.js';

const REF = { workflowId: 't-1', runId: 'r-1' };
const PLAN = examplePlan();
const START = { ...REF, type: 'signup', taskQueue: 'q' };
const TASK = { seal: { plan: 'digest' }, user: { name: 'ada' }, session: null };

function runsOver(start: unknown) {
  const read = vi.fn(async () => start as RunStart | undefined);
  return { runs: new Runs(read), read };
}

describe('the start of a run', () => {
  const BEGUN = { ...START, task: TASK } as never;
  const NOTICE = { ...START, type: 'ability:notify' };

  test.each<[string, object]>([
    ['of a task that has passed preflight', { ...START, task: { ...TASK, plan: PLAN } }],
    ['of a workflow of our own', NOTICE],
  ])('%s is read once', async (_, start) => {
    const { runs, read } = runsOver(start);
    const found = await runs.find(REF);
    expect(found).toMatchObject(REF);
    expect(await runs.find(REF)).toEqual(found);
    expect(read).toHaveBeenCalledOnce();
  });

  test.each([BEGUN, NOTICE])('is not read if the worker knows it', async (start) => {
    const { runs, read } = runsOver(undefined);
    runs.note(start);
    expect(await runs.find(REF)).toEqual(start);
    expect(read).not.toHaveBeenCalled();
  });

  test('of a task is read again until it has passed preflight', async () => {
    const { runs, read } = runsOver(START);
    runs.note(START);
    expect(await runs.find(REF)).toEqual(START);
    read.mockResolvedValue({ ...START, task: { ...TASK, plan: PLAN } } as never);
    expect(await runs.find(REF)).toEqual(BEGUN);
    await runs.find(REF);
    expect(read).toHaveBeenCalledTimes(2);
  });

  test('is kept without its plan, which is passed on', async () => {
    const { runs } = runsOver({ ...START, task: { ...TASK, plan: PLAN } });
    const onPlan = vi.fn();
    expect(await runs.find(REF, onPlan)).toEqual({ ...START, task: TASK });
    expect(onPlan.mock.calls).toEqual([[PLAN, 'digest']]);
  });

  test('that Temporal does not know is looked up again', async () => {
    const { runs, read } = runsOver(undefined);
    expect(await runs.find(REF)).toBeUndefined();
    await runs.find(REF);
    expect(read).toHaveBeenCalledTimes(2);
  });
});
