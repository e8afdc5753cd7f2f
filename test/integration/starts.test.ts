import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Connection, createTask, decide, openApprovals, viewTask } from '../../src/client/index.js';
import { AbilityError } from '../../src/contracts/problem.js';
import { callerOf } from '../fixtures/caller.js';
import { operation, projectFile, workflow } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';

let project: RunningProject;

beforeAll(async () => {
  project = await runProject({
    'ability.yaml': projectFile('{ dev: {} }'),
    ...operation('util.echo', 'return input;'),
    ...workflow('asks', 'steps: [{ id: ask, approval: { title: Go on? } }]'),
  });
});
afterAll(() => project.stop());

const failure = (promise: Promise<unknown>) =>
  promise.then(
    () => undefined,
    (error) => error,
  );
const record = (key: string) => join(project.root, '.system/implement', key, 'record.json');

/** A connection on the machine of the worker that starts a task in its own way. */
function connectionWith(start: (real: () => Promise<unknown>) => Promise<unknown>): Connection {
  const { temporal } = project.connection;
  const workflow = new Proxy(temporal.workflow, {
    get(target, name) {
      const own: unknown = Reflect.get(target, name);
      if (typeof own !== 'function') return own;
      if (name !== 'start') return own.bind(target);
      return (type: string, ...rest: unknown[]) => {
        const real = () => own.call(target, type, ...rest) as Promise<unknown>;
        return type === 'asks' ? start(real) : real();
      };
    },
  });
  const client = new Proxy(temporal, {
    get: (target, name) => (name === 'workflow' ? workflow : Reflect.get(target, name)),
  });
  return { ...project.connection, isOwnRuntime: true, temporal: client };
}
const create = (connection: Connection, key: string, more: object = {}) =>
  createTask(connection, {
    ability: 'asks',
    environment: 'dev',
    input: {},
    caller: callerOf(),
    run: true,
    key,
    ...more,
  });

describe('the record of a task', () => {
  test('says that it was cancelled if the caller refuses what preflight resolved, and its key is free again', async () => {
    const review = (): void => {
      throw new AbilityError({ code: 'config.registry_differs', message: 'no' });
    };
    const error = await failure(create({ ...project.connection, isOwnRuntime: true }, 'refused', { review }));
    expect(error).toMatchObject({ code: 'config.registry_differs' });
    await expect
      .poll(async () => (await viewTask(project.connection, 'refused')).result.status, { timeout: 20_000 })
      .toBe('cancelled');
    // Its key is free again: nothing of it ran.
    const again = await create({ ...project.connection, isOwnRuntime: true }, 'refused');
    expect(again.attached).toBe(false);
    await expect
      .poll(async () => (await viewTask(project.connection, 'refused')).result.status)
      .toBe('waiting_approval');
  });

  test('is removed if the start certainly failed', async () => {
    const connection = connectionWith(() => Promise.reject(new Error('no')));
    expect(await failure(create(connection, 'failed'))).toMatchObject({ message: 'no' });
    expect(existsSync(record('failed'))).toBe(false);
  });

  test('stays if only the answer to the start was lost', async () => {
    const connection = connectionWith(async (real) => {
      await real();
      throw new Error('lost');
    });
    expect(await failure(create(connection, 'lost'))).toMatchObject({ message: 'lost' });
    await expect.poll(() => existsSync(record('lost')), { timeout: 20_000 }).toBe(true);
    expect(await create(connection, 'lost')).toMatchObject({ attached: true });
  });

  test('stays if another caller holds the key for something else', async () => {
    const own = { ...project.connection, isOwnRuntime: true };
    await create(own, 'held');
    const other = await failure(create(own, 'held', { ability: 'util.echo' }));
    expect(other).toMatchObject({ code: 'task.key_conflict' });
    // It runs already, so there is nothing left to review.
    const review = (): void => {
      throw new Error('refused');
    };
    expect(await create(own, 'held', { review })).toMatchObject({ attached: true });
    await expect.poll(() => existsSync(record('held')), { timeout: 20_000 }).toBe(true);
  });
});

test('a caller learns whether the task existed before: the first is not attached, the second is', async () => {
  expect(await create(project.connection, 'twice')).toMatchObject({ attached: false });
  expect(await create(project.connection, 'twice')).toMatchObject({ attached: true });
});

test('a decision that no worker handles fails as worker.unavailable or placement.no_worker', async () => {
  const { id } = await create(project.connection, 'undecided');
  await expect.poll(() => openApprovals(project.connection, id), { timeout: 20_000 }).toHaveLength(1);
  await project.stopWorkers();
  // Pollers stay listed for a while after they have gone, so the first of the two is expected.
  expect(await failure(decide(project.connection, id, 'approve', {}))).toMatchObject({ code: 'worker.unavailable' });
  await project.restartWorkers();
});
