import { ActivityFailure, ApplicationFailure } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { HookRequest } from '../../../src/contracts/activities.js';
import type { HookAnswer } from '../../../src/contracts/hooks.js';
import type { CallStep, Plan, PlanHook, PlanOperation } from '../../../src/contracts/plan.js';
import { runTree } from '../../property/run-tree.js';
import { Script } from '../../property/script.js';
import { planOf } from '../../property/trees.js';

/** What the activity of the guards returns, and what it was asked. */
const guards = vi.hoisted(() => ({ answer: (): unknown => [], asked: [] as HookRequest[] }));

vi.mock('@temporalio/workflow', async () => {
  const { fakeWorkflow } = await import('../../property/fake-workflow.js');
  const proxyActivities: typeof fakeWorkflow.proxyActivities = (options) => {
    const others = fakeWorkflow.proxyActivities(options);
    const ask = async (request: unknown) => {
      guards.asked.push(request as HookRequest);
      return guards.answer();
    };
    return new Proxy(others, { get: (_, name: string) => (name === 'PreAbilityCall' ? ask : others[name]) });
  };
  return { ...fakeWorkflow, proxyActivities };
});

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterAll(() => {
  vi.useRealTimers();
});

const script = { path: 'g.mjs', digest: '0', interpreter: [], args: [], env: { pass: [], set: {}, secrets: {} } };
const guard = (id: string): PlanHook => ({ id, handler: { kind: 'script', script, timeout_ms: 1000 } });
const answerOf = (hook_id: string, decision: HookAnswer['decision']): HookAnswer => ({
  hook_id,
  phase: 'PreAbilityCall',
  path: 'a',
  status: 'ok',
  decision,
});

/** How a task of one call with guards ends. @param answer what the activity of the guards returns. */
async function endOf(
  answer: () => unknown,
  pre_call: PlanHook[] = [guard('first'), guard('second')],
  more: Partial<Plan> = {},
): Promise<{ code: string | undefined; calls: number }> {
  guards.answer = answer;
  guards.asked.length = 0;
  const { task } = await import('../../../src/workflows/task.js');
  const call: CallStep = { id: 'a', verb: 'call', call: 'op.add', with: { n: 1 } };
  const plan: Plan = { ...planOf([call]), ...more };
  const operation = plan.operations['op.add'] as PlanOperation;
  operation.hooks = { ...operation.hooks, pre_call };
  const account = await runTree(task, { plan, input: {}, script: new Script(1, {}, {}, undefined) });
  return { code: account.error?.code, calls: account.effects.length };
}

test('a call whose guards all allow is made', async () => {
  const answers = [answerOf('first', 'allow'), answerOf('second', 'allow')];
  expect(await endOf(() => answers)).toEqual({ code: undefined, calls: 1 });
});

test.each<[string, HookAnswer[]]>([
  ['none', []],
  ['the second', [answerOf('first', 'allow')]],
  ['the first', [answerOf('second', 'allow')]],
])('C-08: a guard that was not consulted counts as failed: %s', async (_, answers) => {
  expect(await endOf(() => answers)).toEqual({ code: 'hook.failed', calls: 0 });
});

test('a guard that denies ends the phase: those after it need no answer', async () => {
  expect(await endOf(() => [answerOf('first', 'deny')])).toEqual({ code: 'guard.denied', calls: 0 });
});

test.each<[string, Error, string]>([
  ['a worker that fails', ApplicationFailure.create({ type: 'internal.error', message: 'm' }), 'hook.failed'],
  ['an error of another kind', new Error('m'), 'hook.failed'],
  ['a task that never passed preflight', ApplicationFailure.create({ type: 'seal.invalid' }), 'seal.invalid'],
])('C-08: guards that cannot be consulted refuse the call: %s', async (_, cause, code) => {
  const failure = new ActivityFailure('failed', 'PreAbilityCall', '1', 'NON_RETRYABLE_FAILURE', 'fake', cause);
  expect(await endOf(() => Promise.reject(failure))).toEqual({ code, calls: 0 });
});

describe('with `policy.hooks: activities`', () => {
  const SHOWN = { hooks: 'activities' } as const;
  const expression: PlanHook = { id: 'first', handler: { kind: 'expression', deny_if: 'input.n == 1', reason: 'No.' } };
  const builtin: PlanHook = { id: 'second', handler: { kind: 'builtin', name: 'environment_scope', options: {} } };

  test('guards that are expressions or built in answer in an activity of their phase, so that the history shows it', async () => {
    const answers = [answerOf('first', 'allow'), answerOf('second', 'allow')];
    expect(await endOf(() => answers, [expression, builtin], SHOWN)).toEqual({ code: undefined, calls: 1 });
    expect(guards.asked).toMatchObject([
      { phase: 'PreAbilityCall', path: 'a', operation: 'op.add', input: { n: 1 }, moment: expect.any(Number) },
    ]);
  });

  test('their denial there refuses the call', async () => {
    expect(await endOf(() => [answerOf('first', 'deny')], [expression, builtin], SHOWN)).toEqual({
      ...{ code: 'guard.denied', calls: 0 },
    });
  });

  test('one that is built in and was not consulted counts as failed', async () => {
    const answers = [answerOf('first', 'allow')];
    expect(await endOf(() => answers, [expression, builtin], SHOWN)).toEqual({ code: 'hook.failed', calls: 0 });
  });

  test('a call without guards asks no activity', async () => {
    expect(await endOf(() => [], [], SHOWN)).toEqual({ code: undefined, calls: 1 });
    expect(guards.asked).toEqual([]);
  });

  test('without it they need none: expressions answer in the workflow, built-in ones in the attempt of the call', async () => {
    expect(await endOf(() => [], [expression, builtin])).toEqual({ code: 'guard.denied', calls: 0 });
    expect(await endOf(() => [], [builtin])).toEqual({ code: undefined, calls: 1 });
    expect(guards.asked).toEqual([]);
  });
});
