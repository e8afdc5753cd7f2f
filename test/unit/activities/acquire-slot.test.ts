import { MockActivityEnvironment } from '@temporalio/testing';
import { expect, test, vi } from 'vitest';
import { PlanSource } from '../../../src/activities/plan-source.js';
import { createAcquire } from '../../../src/activities/slots/acquire-slot.js';
import type { LockAccess, LockEntry } from '../../../src/activities/slots/lock-access.js';
import type { AcquireAnswer } from '../../../src/contracts/activities.js';
import type { JsonObject } from '../../../src/contracts/json.js';
import { taskQueueOf } from '../../../src/contracts/names.js';
import type { Plan } from '../../../src/contracts/plan.js';
import { signSeal } from '../../../src/planning/seal.js';
import { digestOf } from '../../../src/rules/canonical.js';
import { sealMark } from '../../../src/rules/seal-mark.js';
import { examplePlan } from '../rules/example-plan.js';

const CONCURRENCY = { key: '${{ input.table }}', limit: 2, on_busy: 'newest' } as const;
const keys = { keys: new Map([['k', Buffer.alloc(32, 1)]]) };
const user = { name: 'ada', source: 'claimed' } as const;

/** Asks for the turn of a task whose seal speaks of the table `users`. */
async function acquire(input: JsonObject, concurrency: Plan['concurrency'] = CONCURRENCY) {
  const plan: Plan = { ...examplePlan(), ...(concurrency && { concurrency }) };
  const taskQueue = taskQueueOf(plan.project, plan.environment.name, plan.placement);
  const sealed = { plan: digestOf(plan), task: 't-1', input: digestOf({ table: 'users' }), user, confirmations: [] };
  const seal = signSeal(sealed, keys);
  const run = { workflowId: 't-1', runId: 'r-1' };
  const start = { ...run, type: plan.ability.id, taskQueue, task: { seal, user, session: null, plan } };
  const plans = new PlanSource(plan.project, keys, async () => start, { has: async () => false, keep: async () => {} });
  const enter = vi.fn<LockAccess['enter']>(async (_: LockEntry) => {});
  const locks: LockAccess = { enter, leave: async () => {}, isOpen: async () => true };
  const context = new MockActivityEnvironment({ workflowExecution: run, taskQueue });
  const asked = { seal: sealMark(seal), input, run: 'r-1' };
  const answer: AcquireAnswer = await context.run(createAcquire({ plans, locks }), asked);
  return { answer, entered: enter.mock.calls.map(([entry]) => entry) };
}

test('a task enters the line of the key that its plan and its input give, with a token', async () => {
  const { answer, entered } = await acquire({ table: 'users' });
  expect(answer).toMatchObject({ key: 'users', token: expect.any(String) });
  const entry = { task: 't-1', run: 'r-1', limit: 2, on_busy: 'wait', newest: true, token: answer.token };
  expect(entered).toMatchObject([{ key: 'users', lock: answer.lock, entry }]);
});

test('with another input than was sealed, which would give another key, it gets no turn', async () => {
  await expect(acquire({ table: 'orders' })).rejects.toMatchObject({ type: 'seal.invalid' });
});

test('nor does a task whose plan asks for none', async () => {
  await expect(acquire({ table: 'users' }, null as never)).rejects.toMatchObject({ type: 'seal.invalid' });
});
