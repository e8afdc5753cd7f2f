import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Effect } from '../../../src/contracts/effects.js';
import type { CallStep, Plan, PlanOperation } from '../../../src/contracts/plan.js';
import { runTree } from '../../property/run-tree.js';
import { Script } from '../../property/script.js';
import { planOf } from '../../property/trees.js';

/** How Temporal ends the call. */
const lost = vi.hoisted(() => ({ failure: new Error('not set') }));

vi.mock('@temporalio/workflow', async () => {
  const { fakeWorkflow } = await import('../../property/fake-workflow.js');
  const proxyActivities: typeof fakeWorkflow.proxyActivities = (options) => {
    const others = fakeWorkflow.proxyActivities(options);
    const lose = () => Promise.reject(lost.failure);
    return new Proxy(others, { get: (_, name: string) => (name === 'op.add' ? lose : others[name]) });
  };
  return { ...fakeWorkflow, proxyActivities };
});

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterAll(() => {
  vi.useRealTimers();
});

type Limit = 'START_TO_CLOSE' | 'HEARTBEAT' | 'SCHEDULE_TO_CLOSE' | 'SCHEDULE_TO_START';

/** The code of a task whose only call reached a Temporal limit. @param before what its last attempt reported. */
async function codeOf(effects: Effect, limit: Limit, before?: Error): Promise<string | undefined> {
  const cause = Object.assign(new TimeoutFailure('timed out', undefined, limit), before && { cause: before });
  lost.failure = new ActivityFailure('failed', 'op.add', '1', 'TIMEOUT', 'fake', cause);
  const { task } = await import('../../../src/workflows/task.js');
  const call: CallStep = { id: 'a', verb: 'call', call: 'op.add', with: {} };
  const plan: Plan = planOf([call]);
  (plan.operations['op.add'] as PlanOperation).effects = effects;
  const { error } = await runTree(task, { plan, input: {}, script: new Script(1, {}, {}, undefined) });
  return error?.code;
}

test.each<[Effect, Limit, string]>([
  ['write_additive', 'START_TO_CLOSE', 'outcome.unknown'],
  ['write_additive', 'HEARTBEAT', 'outcome.unknown'],
  ['destructive', 'HEARTBEAT', 'outcome.unknown'],
  ['destructive', 'SCHEDULE_TO_CLOSE', 'outcome.unknown'],
  ['write_idempotent', 'HEARTBEAT', 'timeout.call'],
  ['read', 'SCHEDULE_TO_CLOSE', 'timeout.step'],
  ['destructive', 'SCHEDULE_TO_START', 'worker.unavailable'],
])('a call that is %s and ended by %s of Temporal ends with %s', async (effects, limit, code) => {
  expect(await codeOf(effects, limit)).toBe(code);
});

test('a call that no worker took up again, after an attempt that may have had its effect, is unknown', async () => {
  const details = [
    { code: 'timeout.call', message: 'm' },
    { attempt: 1, unclear: true },
  ];
  const before = ApplicationFailure.create({ type: 'timeout.call', message: 'm', details });
  expect(await codeOf('write_additive', 'SCHEDULE_TO_START', before)).toBe('outcome.unknown');
  expect(await codeOf('read', 'SCHEDULE_TO_START', before)).toBe('worker.unavailable');
});
