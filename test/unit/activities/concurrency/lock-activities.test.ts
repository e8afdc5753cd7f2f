import { CancelledFailure } from '@temporalio/activity';
import { describe, expect, test, vi } from 'vitest';
import type { LockAccess, LockEntry } from '../../../../src/activities/concurrency/lock-access.js';
import {
  createAcquire,
  createFindEnded,
  createRelease,
} from '../../../../src/activities/concurrency/lock-activities.js';
import type { AcquireAnswer, AcquireRequest } from '../../../../src/contracts/activities.js';
import type { JsonObject } from '../../../../src/contracts/json.js';
import { WORKFLOWS } from '../../../../src/contracts/names.js';
import type { Plan } from '../../../../src/contracts/plan.js';
import { examplePlan } from '../../rules/example-plan.js';
import { activityEnvironment, admittedTask, calledTask } from '../admitted-task.js';

const CONCURRENCY = { key: '${{ input.table }}', limit: 2, on_busy: 'newest' } as const;

/** Locks without a server; the tasks in `open` are still open. */
function locksWith(...open: string[]) {
  const enter = vi.fn<LockAccess['enter']>(async (_: LockEntry) => {});
  const leave = vi.fn<LockAccess['leave']>(async () => {});
  return { enter, leave, isOpen: async ({ task }: { task: string }) => open.includes(task) };
}

/** A task that was sealed for the table `users`. */
const sealedTask = (concurrency: Plan['concurrency'] = CONCURRENCY) =>
  admittedTask({ ...examplePlan(), ...(concurrency && { concurrency }) }, { table: 'users' });

describe('a turn', () => {
  async function acquire(
    input: JsonObject,
    concurrency?: Plan['concurrency'] | null,
    more: Partial<AcquireRequest> = {},
  ) {
    const { plans, mark, environment } = sealedTask(concurrency as Plan['concurrency']);
    const locks = locksWith();
    const request = { seal: mark, input, run: 'r-1', ...more };
    const answer: AcquireAnswer = await environment().run(createAcquire({ plans, locks }), request);
    return { answer, entered: locks.enter.mock.calls.map(([entry]) => entry) };
  }

  test('is requested with the key from the plan and the input, and with a token', async () => {
    const { answer, entered } = await acquire({ table: 'users' });
    expect(answer).toMatchObject({ key: 'users', token: expect.any(String) });
    const entry = { task: 't-1', run: 'r-1', limit: 2, on_busy: 'newest', token: answer.token };
    expect(entered).toMatchObject([{ key: 'users', lock: answer.lock, entry }]);
  });

  test('is requested again with the token of the first request', async () => {
    const { answer, entered } = await acquire({ table: 'users' }, undefined, { token: 'first' });
    expect(answer.token).toBe('first');
    expect(entered).toMatchObject([{ entry: { token: 'first', again: true } }]);
    expect((await acquire({ table: 'users' })).entered[0]?.entry).not.toHaveProperty('again');
  });

  test('is requested on the queue of the task, and belongs to one environment', async () => {
    const { entered } = await acquire({ table: 'users' });
    expect(entered).toMatchObject([{ taskQueue: 'acme-staging-local', summary: 'users in staging' }]);
  });

  test('is requested with the behaviour that the plan sets for a busy lock', async () => {
    const { entered } = await acquire({ table: 'users' }, { ...CONCURRENCY, on_busy: 'refuse' });
    expect(entered[0]?.entry).toMatchObject({ on_busy: 'refuse' });
  });

  test.each([
    [60, 'x'.repeat(60)],
    [61, `${'x'.repeat(60)}...`],
  ])('is shown under a key of %i characters, shortened if it is too long', async (length, shown) => {
    const { entered } = await acquire({ table: 'users' }, { ...CONCURRENCY, key: 'x'.repeat(length) });
    expect(entered[0]?.summary).toBe(`${shown} in staging`);
  });

  test('of a called task is requested with the input of that task', async () => {
    const plan = examplePlan();
    const { ability, steps, finally: cleanup, limits } = plan;
    const inner = { ability: { ...ability, id: 'inner' }, steps, finally: cleanup, limits, concurrency: CONCURRENCY };
    const { plans, mark, environment } = calledTask({ ...plan, workflows: { inner } });
    const locks = locksWith();
    const answer: AcquireAnswer = await environment().run(createAcquire({ plans, locks }), {
      seal: mark,
      input: { table: 'orders' },
      run: 'r-1',
    });
    expect(answer.key).toBe('orders');
    expect(locks.enter.mock.calls).toMatchObject([[{ entry: { task: 't-1/sub' } }]]);
  });

  test('is refused for an input other than the sealed one, since its key would differ', async () => {
    await expect(acquire({ table: 'orders' })).rejects.toMatchObject({ type: 'seal.invalid' });
  });

  test('is refused if the plan of the task requires none', async () => {
    await expect(acquire({ table: 'users' }, null)).rejects.toMatchObject({ type: 'seal.invalid' });
  });

  test('is released for the task that Temporal names', async () => {
    const { plans, mark, environment } = sealedTask();
    const locks = locksWith();
    await environment().run(createRelease({ plans, locks }), { seal: mark, lock: 'l', run: 'r-1' });
    expect(locks.leave.mock.calls).toEqual([['l', { task: 't-1', run: 'r-1' }]]);
  });

  test('is not released under another seal', async () => {
    const { plans, environment } = sealedTask();
    const locks = locksWith();
    const released = environment().run(createRelease({ plans, locks }), { seal: 'other', lock: 'l', run: 'r-1' });
    await expect(released).rejects.toMatchObject({ type: 'seal.invalid', nonRetryable: true });
    expect(locks.leave).not.toHaveBeenCalled();
  });

  test('whose release was cancelled is not released again', async () => {
    const { plans, mark, environment } = sealedTask();
    const cancelled = new CancelledFailure('CANCELLED');
    const locks = { ...locksWith(), leave: () => Promise.reject(cancelled) };
    const released = environment().run(createRelease({ plans, locks }), { seal: mark, lock: 'l', run: 'r-1' });
    await expect(released).rejects.toBe(cancelled);
  });

  test('whose release failed because of Temporal is released again', async () => {
    const { plans, mark, environment } = sealedTask();
    const locks = { ...locksWith(), leave: () => Promise.reject(new Error('connection lost')) };
    const released = environment().run(createRelease({ plans, locks }), { seal: mark, lock: 'l', run: 'r-1' });
    await expect(released).rejects.toMatchObject({ type: 'temporal.unavailable', nonRetryable: false });
  });
});

describe('holders that have ended', () => {
  const holders = ['a', 'b', 'c'].map((task) => ({ task, run: 'r' }));
  const findEnded = (workflowType: string): Promise<typeof holders> =>
    activityEnvironment({ workflowType }).run(createFindEnded({ locks: locksWith('b') }), { holders });

  test('are reported to a lock', async () => {
    expect((await findEnded(WORKFLOWS.lock)).map(({ task }) => task)).toEqual(['a', 'c']);
  });

  test('are reported to no other workflow', async () => {
    await expect(findEnded('signup')).rejects.toMatchObject({ type: 'seal.invalid', nonRetryable: true });
  });
});
