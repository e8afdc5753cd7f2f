import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Plan, PlanStep } from '../../../../src/contracts/plan.js';
import type { Continued, TaskArguments } from '../../../../src/contracts/task.js';
import { continuedStart } from '../../../../src/rules/tasks/task-arguments.js';
import { task } from '../../../../src/workflows/task.js';
import { beginningWorld, FORMED, OURS, PLAN } from './begun-task.js';

vi.mock('@temporalio/workflow', async () => (await import('../../../property/fake-workflow.js')).fakeWorkflow);

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterAll(() => {
  vi.useRealTimers();
});

const WAITS: PlanStep = { id: 'w', verb: 'wait', wait: { signal: 'go', timeout: '5m' } };
const PLANNED: Plan = { ...PLAN, placement: 'cloud', steps: [WAITS] };
const ELSEWHERE = { ...FORMED, warnings: ['w'], plan: PLANNED, queue: 'acme-staging-cloud' };

/** How a task goes on that was started on the queue of another placement. @param signals that came meanwhile. */
async function moved(args: TaskArguments, signals: { name: string; payload?: unknown }[] = []) {
  const { world } = beginningWorld(OURS, ELSEWHERE);
  world.signals.push(...signals);
  const end = await world.run(() => task(...args)).catch((error: unknown) => error);
  const { command } = end as { command: { args: [object, object, Continued]; taskQueue: string } };
  return { ...command, world, next: continuedStart(command.args, 'task') };
}

test('a task goes on where its plan is placed, with what its preflight made of it', async () => {
  const { taskQueue, next, world } = await moved([{ n: 1 }, { user: { name: 'ada' } }]);
  expect(taskQueue).toBe('acme-staging-cloud');
  expect(next).toMatchObject({
    ...{ plan: ELSEWHERE.plan, input: { n: 1 }, user: { name: 'ada' }, run: true, warnings: ['w'] },
    created_at: '2030-01-01T00:00:00.000Z',
  });
  expect(next).not.toHaveProperty('changed');
  expect(world.effects).toEqual([]);
});

test('a created task waits there, and is run if that was wanted meanwhile', async () => {
  expect((await moved([{}, { create: true }])).next?.run).toBe(false);
  expect((await moved([{}, { create: true }], [{ name: 'run' }])).next?.run).toBe(true);
});

test('signals that came meanwhile are not lost', async () => {
  const signals = [{ name: 'go', payload: { n: 1 } }, { name: 'pause' }, { name: 'stop' }];
  const { next } = await moved([{}], signals);
  expect(next?.changed).toEqual({
    changes: [],
    applied: [],
    signals: [{ name: 'go', payload: { n: 1 } }],
    paused: true,
  });
  expect(next?.warnings).toEqual(['w', 'The signal stop was ignored: this task waits for go']);
  expect((await moved([{}], [{ name: 'pause' }, { name: 'resume' }])).next).not.toHaveProperty('changed');
});
