import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { CallStep, PlanStep } from '../../../src/contracts/plan.js';
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

const call = (id: string): CallStep => ({ id, verb: 'call', call: 'op.read', with: {} });
const undo = { call: 'op.add', with: { back: true } };
const stop: PlanStep = { id: 'stop', verb: 'fail', fail: { code: 'app.broken', message: 'no' } };

/** Paths of the calls a task of these steps makes, in order. */
async function callsOf(steps: PlanStep[], outcomes: Record<string, string[]> = {}): Promise<string[]> {
  const { task } = await import('../../../src/workflows/task.js');
  const { effects } = await runTree(task, {
    plan: planOf(steps),
    input: {},
    script: new Script(1, outcomes, {}, undefined),
  });
  return effects.map(({ path }) => path);
}

test('a call that took place is taken back even if the clean-up of its step failed', async () => {
  const steps = [{ ...call('made'), undo, finally: [call('clean')] }];
  expect(await callsOf(steps, { clean: ['input.invalid'] })).toEqual(['made', 'made/clean', 'made.undo']);
});

test('a call that failed is not taken back even if a handler dealt with it', async () => {
  const steps = [{ ...call('broken'), undo, on_error: [{ steps: [call('instead')] }] }, stop];
  expect(await callsOf(steps, { broken: ['input.invalid'] })).toEqual(['broken', 'broken/instead']);
});

test('the output of a call can be passed to the call that takes it back', async () => {
  const steps = [{ ...call('made'), undo: { call: 'op.add', with: { v: '${{ steps.made.output.v }}' } } }, stop];
  expect(await callsOf(steps)).toEqual(['made', 'made.undo']);
});

test('a call deep in a retried group is taken back, even if the next attempt does not reach it', async () => {
  const deep: PlanStep = { id: 'deep', verb: 'steps', steps: [{ ...call('made'), undo }] };
  const group: PlanStep = {
    id: 'group',
    verb: 'steps',
    retry: { attempts: 2, first: '1s', factor: 2, max: '1s', errors: ['app', 'script'] },
    steps: [call('first'), deep, stop],
  };
  const calls = await callsOf([group], { first: ['ok', 'script.exit', 'script.exit', 'script.exit'] });
  expect(calls).toEqual(['group/first', 'group/deep/made', ...Array(3).fill('group/first'), 'group/deep/made.undo']);
});
