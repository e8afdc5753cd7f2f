import { ApplicationFailure } from '@temporalio/common';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { PreflightAnswer, PreflightRequest } from '../../../../src/contracts/task.js';
import { runPreflight } from '../../../../src/workflows/preflight/begin.js';
import { beginningWorld, FORMED, failureOf, OURS } from './begun-task.js';

vi.mock('@temporalio/workflow', async () => (await import('../../../property/fake-workflow.js')).fakeWorkflow);

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterAll(() => {
  vi.useRealTimers();
});

const REQUEST: PreflightRequest = {
  input: { n: 1 },
  options: {},
  first: 'first',
  created_at: '2030-01-01T00:00:00.000Z',
};

async function answered(local: PreflightAnswer, byHooks: () => Promise<unknown> = async () => FORMED) {
  const { world, preflight } = beginningWorld(OURS, local);
  const hooks = vi.fn(byHooks);
  world.answers.set('PreAbilityCreate', hooks);
  const answer = await world.run(() => runPreflight(REQUEST));
  return { answer, preflight, hooks };
}

test.each<[string, PreflightAnswer]>([
  ['forms the task', FORMED],
  ['finds it ended', { ended: { status: 'succeeded', output: null, steps: [] } }],
])('a preflight that %s is one local activity', async (_, local) => {
  const { answer, preflight, hooks } = await answered(local);
  expect(answer).toBe(local);
  expect(preflight.mock.calls).toEqual([[REQUEST]]);
  expect(hooks).not.toHaveBeenCalled();
});

test('hooks that are scripts or abilities answer in an activity of their phase, which reads the start itself', async () => {
  const warned = { ...FORMED, warnings: ['w'] };
  const { answer, hooks } = await answered({ dedicated: true }, async () => warned);
  expect(answer).toBe(warned);
  expect(hooks.mock.calls).toEqual([[undefined]]);
});

test('their refusal is that of the preflight', async () => {
  const denied = failureOf(ApplicationFailure.create({ type: 'guard.denied' }));
  await expect(answered({ dedicated: true }, () => Promise.reject(denied))).rejects.toBe(denied);
});
