import { ApplicationFailure, ContinueAsNew } from '@temporalio/workflow';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { QUERIES, UPDATES } from '../../../../src/contracts/names.js';
import type { TaskArguments, TaskView } from '../../../../src/contracts/task.js';
import { task } from '../../../../src/workflows/task.js';
import { beginningWorld, FORMED, OURS, PREFLIGHT_MS, refusal } from './begun-task.js';

vi.mock('@temporalio/workflow', async () => (await import('../../../property/fake-workflow.js')).fakeWorkflow);

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterAll(() => {
  vi.useRealTimers();
});

/** Runs a task, and asks during its preflight whether it was formed. */
async function asked(
  answer: Parameters<typeof beginningWorld>[1] = FORMED,
  info: object = OURS,
  args: TaskArguments = [{ n: 1 }],
) {
  const { world } = beginningWorld(info, answer);
  const order: string[] = [];
  let created: unknown;
  let view: TaskView | undefined;
  const ask = (): void => {
    view = world.handlers.get(QUERIES.task)?.() as TaskView;
    void world
      .update(UPDATES.created)
      .catch((error: unknown) => error)
      .then((said) => {
        created = said;
        order.push('created');
      });
  };
  const begin = (): ReturnType<typeof task> => {
    world.after(PREFLIGHT_MS / 2, ask);
    return task(...args).finally(() => void order.push('end'));
  };
  const end = await world.run(begin).catch((error: unknown) => error);
  return { created, view, order, end, world };
}

describe('who asks during a preflight whether the task was formed', () => {
  test('learns it when that is done', async () => {
    const { created, end } = await asked({ ...FORMED, warnings: ['w'] });
    expect(created).toEqual({ status: 'available', task_key: 'task', warnings: ['w'] });
    expect(end).toMatchObject({ status: 'succeeded' });
  });

  test('learns it of a task that waits to be run', async () => {
    const created = (await asked(FORMED, OURS, [{}, { create: true }])).created;
    expect(created).toMatchObject({ status: 'available' });
  });

  test('learns the refusal, before the task has ended', async () => {
    const { created, end, order } = await asked(refusal({ code: 'guard.denied', message: 'No.' }));
    expect(created).toBe(end);
    expect(created).toMatchObject({ type: 'guard.denied', details: [{ status: 'unavailable' }] });
    expect(order).toEqual(['created', 'end']);
  });

  test('learns a mistake of ours as a failure, which does not hold up the workflow task', async () => {
    const { created, end } = await asked(new TypeError('broken'));
    expect(created).toBe(end);
    expect(created).toBeInstanceOf(ApplicationFailure);
    expect(created).toMatchObject({ type: 'internal.error', message: 'TypeError: broken' });
  });

  test('learns it before the task goes on on another queue', async () => {
    const { created, end, order } = await asked({ ...FORMED, warnings: ['w'], queue: 'acme-staging-cloud' });
    expect(created).toEqual({ status: 'available', task_key: 'task', warnings: ['w'] });
    expect(end).toBeInstanceOf(ContinueAsNew);
    expect(order).toEqual(['created', 'end']);
  });

  test('of a direct run learns no key', async () => {
    const workflowId = `direct:${'0'.repeat(36)}`;
    expect((await asked(FORMED, { ...OURS, workflowId })).created).toMatchObject({ task_key: '' });
  });
});

describe('the view of a task during its preflight', () => {
  test('has what its start says', async () => {
    expect((await asked()).view).toMatchObject({
      ...{ status: 'running', task_key: 'task', ability_id: 'signup', environment: 'staging', input: { n: 1 } },
      ...{ requested_by: { name: 'ada', source: 'claimed' }, created_at: '2030-01-01T00:00:00.000Z', steps: [] },
    });
  });

  test('says of a task that waits to be run that it was created', async () => {
    expect((await asked(FORMED, OURS, [{}, { create: true }])).view).toMatchObject({ status: 'created' });
  });

  test('has less of a start from outside', async () => {
    const { view } = await asked(FORMED, {}, []);
    expect(view).toMatchObject({ environment: '', requested_by: { name: 'unknown' }, input: {} });
  });

  test('is that of the whole task afterwards', async () => {
    const { world } = await asked();
    expect(world.handlers.get(QUERIES.task)?.()).toMatchObject({ status: 'succeeded', version: 1 });
  });
});
