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
  test('is read once', async () => {
    const { runs, read } = runsOver(START);
    expect(await runs.find(REF)).toEqual(START);
    expect(await runs.find(REF)).toEqual(START);
    expect(read).toHaveBeenCalledOnce();
  });

  test('is not read if the worker knows it', async () => {
    const { runs, read } = runsOver(undefined);
    runs.note(START);
    expect(await runs.find(REF)).toEqual(START);
    expect(read).not.toHaveBeenCalled();
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
