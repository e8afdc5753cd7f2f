import { ActivityFailure } from '@temporalio/common';
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { CallFailure } from '../../../src/activities/call/call-failure.js';
import { toFailure, unknownOutcome } from '../../../src/activities/failures.js';
import type { CallStep, ErrorHandler, Plan, PlanStep } from '../../../src/contracts/plan.js';
import type { StoredResult } from '../../../src/contracts/stored-result.js';
import { resultOfTree } from '../../property/run-tree.js';
import { Script } from '../../property/script.js';
import { planOf } from '../../property/trees.js';

/** How the worker ends a running call that is cancelled, by operation; others are cancelled as if not begun. */
const cancelled = vi.hoisted(() => new Map<string, () => Error>());

vi.mock('@temporalio/workflow', async () => {
  const { fakeWorkflow } = await import('../../property/fake-workflow.js');
  const proxyActivities: typeof fakeWorkflow.proxyActivities = (options) => {
    const others = fakeWorkflow.proxyActivities(options);
    const cut = (name: string) => (request: Parameters<(typeof others)[string]>[0]) =>
      others[name]?.(request).catch((error: unknown) => {
        const end = cancelled.get(name);
        throw end && fakeWorkflow.isCancellation(error) ? failed(name, end()) : error;
      });
    return new Proxy(others, { get: (_, name: string) => cut(name) });
  };
  return { ...fakeWorkflow, proxyActivities };
});

const failed = (name: string, cause: Error): ActivityFailure =>
  new ActivityFailure('failed', name, '1', 'NON_RETRYABLE_FAILURE', 'fake', cause);

/** As `cancelledBy` of a call that had begun. */
const atWork = (): Error => {
  const seen = { code: 'timeout.call', message: 'was stopped before it ended' };
  return toFailure(new CallFailure(unknownOutcome(seen)), undefined, { cut: true });
};

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterAll(() => {
  vi.useRealTimers();
});
beforeEach(() => {
  cancelled.clear();
  cancelled.set('op.add', atWork);
});

const add = (id: string, more: Partial<CallStep> = {}): CallStep => ({
  id,
  verb: 'call',
  call: 'op.add',
  with: {},
  ...more,
});
/** Three items at once, each a call that must not be cut. */
const itemsAtOnce = (): PlanStep => ({
  id: 'each',
  verb: 'foreach',
  foreach: { list: [1, 2, 3] },
  as: 'n',
  max_parallel: 3,
  steps: [add('lost')],
});
const together = (): PlanStep => ({ id: 'p', verb: 'parallel', branches: [add('one'), add('two')] });
const quick: PlanStep = { id: 'quick', verb: 'wait', wait: { for: '1ms' } };
const race = (...branches: PlanStep[]): PlanStep => ({ id: 'r', verb: 'race', branches });
const group = (steps: PlanStep[], more: object = {}): PlanStep => ({ id: 'g', verb: 'steps', steps, ...more });

interface Given {
  plan?: Partial<Plan>;
  cancelAt?: number;
  outcomes?: Record<string, string[]>;
}

async function resultOf(steps: PlanStep[], { plan, cancelAt, outcomes = {} }: Given = {}): Promise<StoredResult> {
  const { task } = await import('../../../src/workflows/task.js');
  const script = new Script(1, outcomes, {}, cancelAt);
  return resultOfTree(task, { plan: { ...planOf(steps), ...plan }, input: {}, script });
}

const causeOf = ({ error }: StoredResult) => (error?.details as { cause?: unknown } | undefined)?.cause;
const statusOf = ({ steps }: StoredResult, path: string) =>
  steps.find((step) => (step.path ?? step.id) === path)?.status;

describe('a call that must not be cut, but was', () => {
  const stop: PlanStep = {
    id: 'bad',
    verb: 'steps',
    steps: [quick, { id: 'f', verb: 'fail', fail: { code: 'app.no', message: 'no' } }],
  };
  const both = (on_failure: 'cancel' | 'stop' | 'finish'): PlanStep => ({
    id: 'p',
    verb: 'parallel',
    branches: [add('lost'), stop],
    on_failure,
  });

  test.each<[string, PlanStep[], Given, object]>([
    [
      'by a race',
      [race(add('lost'), quick)],
      {},
      { code: 'race.lost', step: 'r', path: 'r', message: 'The branch quick won the race r' },
    ],
    [
      'by a race that another branch failed',
      [race(add('lost'), stop)],
      {},
      { code: 'app.no', step: 'f', path: 'r/bad/f' },
    ],
    ['by a failure beside it', [both('cancel')], {}, { code: 'app.no', step: 'f', path: 'p/bad/f' }],
    [
      'by the time-out of a group',
      [group([add('lost')], { timeout: '5ms' })],
      {},
      { code: 'timeout.step', step: 'g', path: 'g' },
    ],
    ['by a cancellation', [add('lost')], { cancelAt: 1 }, { code: 'task.cancelled' }],
    [
      'in a race in a race',
      [race(group([race(add('lost'), add('other'))].map((step) => ({ ...step, id: 'inner' }))), quick)],
      {},
      { code: 'race.lost', step: 'r' },
    ],
    [
      'in a race in a group with a time-out',
      [group([race(add('lost'), { id: 'w', verb: 'wait', wait: { for: '1h' } })], { timeout: '5ms' })],
      {},
      { code: 'timeout.step', step: 'g' },
    ],
  ])('%s makes the task unknown, with the first cause', async (_, steps, given, cause) => {
    const result = await resultOf(steps, given);
    expect(result).toMatchObject({ status: 'unknown', error: { code: 'outcome.unknown', step: 'lost' } });
    expect(causeOf(result)).toMatchObject(cause);
  });

  test('in a race in a foreach makes the task unknown', async () => {
    const loop: PlanStep = {
      id: 'each',
      verb: 'foreach',
      foreach: { list: [1, 2] },
      as: 'n',
      max_parallel: 1,
      steps: [race(add('lost'), quick)],
    };
    const result = await resultOf([loop]);
    expect(result).toMatchObject({ status: 'unknown', error: { details: { path: 'each/0/r/lost' } } });
    expect(causeOf(result)).toMatchObject({ code: 'race.lost', path: 'each/0/r' });
  });

  test('makes the task unknown; of several, the first is the error and the others are warnings', async () => {
    const result = await resultOf([race(add('one'), add('two'), quick)]);
    expect(result).toMatchObject({ status: 'unknown', error: { step: 'one' } });
    expect(result.warnings).toEqual([expect.stringMatching(/^two: outcome\.unknown.*it was cut by race\.lost/)]);
  });

  test.each<[string, PlanStep, Given, string]>([
    ['a time-out', { ...together(), timeout: '1ms' }, {}, 'timeout.step'],
    ['a race', race(together(), quick), {}, 'race.lost'],
    ['a cancellation', together(), { cancelAt: 1 }, 'task.cancelled'],
  ])('in several branches has its cause in each warning: %s', async (_, step, given, code) => {
    const { warnings = [] } = await resultOf([step], given);
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(new RegExp(`two: outcome\\.unknown.*; it was cut by ${code.replace('.', '\\.')}`));
  });

  test.each<[string, PlanStep[], string]>([
    ['a race', [race({ ...itemsAtOnce(), id: 'each' }, quick)], 'race.lost'],
    ['a time-out', [{ ...itemsAtOnce(), timeout: '1ms' }], 'timeout.step'],
  ])('in several items of a loop has its cause in the account of each: %s', async (_, steps, code) => {
    const result = await resultOf(steps);
    const loop = result.steps.find(({ id }) => id === 'each');
    const messages = (loop?.failures ?? []).map(({ error }) => error?.message);
    expect(messages).toHaveLength(3);
    for (const message of messages) expect(message).toContain(`it was cut by ${code}`);
  });

  test('is not cut if the others only stop or finish', async () => {
    for (const way of ['stop', 'finish'] as const) {
      const result = await resultOf([both(way)]);
      expect(result).toMatchObject({ status: 'failed', error: { code: 'app.no' } });
      expect(statusOf(result, 'p/lost')).toBe('succeeded');
    }
  });

  test('is caught only by a handler that names it, and not by `continue_on_error`', async () => {
    const handler = (errors?: string[]): ErrorHandler => ({
      ...(errors && { errors }),
      steps: [],
      output: 'dealt with',
    });
    const cut = (more: object) => resultOf([{ ...race(add('lost'), quick), ...more }]);
    expect(await cut({ on_error: [handler()] })).toMatchObject({ status: 'unknown' });
    expect(await cut({ on_error: [handler(['timeout', 'race.lost'])] })).toMatchObject({ status: 'unknown' });
    expect(await cut({ continue_on_error: true })).toMatchObject({ status: 'unknown' });
    expect(await cut({ on_error: [handler(['outcome.unknown'])] })).toMatchObject({ status: 'succeeded' });
  });

  test('is not hidden by a handler that was cancelled with it, at a step or at the top', async () => {
    const named: ErrorHandler[] = [
      { errors: ['outcome.unknown'], steps: [{ id: 'n', verb: 'call', call: 'op.read', with: {} }] },
    ];
    const inside = await resultOf([race(add('lost', { on_error: named }), quick)]);
    expect(inside).toMatchObject({ status: 'unknown', error: { code: 'outcome.unknown', step: 'lost' } });
    const top = await resultOf([add('lost')], { cancelAt: 1, plan: { on_error: named } });
    expect(top).toMatchObject({ status: 'unknown', error: { code: 'outcome.unknown' } });
  });

  test('runs `finally`, and is not taken back', async () => {
    const clean: PlanStep = { id: 'clean', verb: 'call', call: 'op.read', with: {} };
    const undo = { call: 'op.read', with: {} };
    const result = await resultOf([race(add('lost', { undo }), quick)], { plan: { finally: [clean] } });
    expect(statusOf(result, 'clean')).toBe('succeeded');
    expect(result.steps.map(({ path }) => path)).not.toContain('r/lost.undo');
  });
});

describe('a call that loses nothing when it is cut', () => {
  test('has not begun', async () => {
    cancelled.clear();
    expect(await resultOf([race(add('late'), quick)])).toMatchObject({ status: 'succeeded' });
  });

  test('has ended before', async () => {
    const slow = (branch: string): PlanStep => ({ id: branch, verb: 'wait', wait: { for: '20d' } });
    const branch: PlanStep = { id: 'done', verb: 'steps', steps: [add('a'), slow('then')] };
    const result = await resultOf([race(branch, { id: 'w', verb: 'wait', wait: { for: '10d' } })]);
    expect(result).toMatchObject({ status: 'succeeded' });
    expect(statusOf(result, 'r/done/a')).toBe('succeeded');
  });
});

describe('`cut: allowed`', () => {
  const may = add('lost', { cut: 'allowed' });

  test('counts as cancelled: the winner of the race has won', async () => {
    const result = await resultOf([race(may, quick)]);
    expect(result).toMatchObject({ status: 'succeeded' });
    expect(statusOf(result, 'r/lost')).toBe('cancelled');
    expect(result).not.toHaveProperty('warnings');
  });

  test('keeps the failure that cut it, the time-out, and the cancellation', async () => {
    const bad: PlanStep = {
      id: 'bad',
      verb: 'steps',
      steps: [quick, { id: 'f', verb: 'fail', fail: { code: 'app.no', message: 'no' } }],
    };
    const beside = await resultOf([{ id: 'p', verb: 'parallel', branches: [may, bad], on_failure: 'cancel' }]);
    expect(beside).toMatchObject({ status: 'failed', error: { code: 'app.no' } });
    const late = await resultOf([group([may], { timeout: '5ms' })]);
    expect(late).toMatchObject({ status: 'failed', error: { code: 'timeout.step', step: 'g' } });
    expect(await resultOf([may], { cancelAt: 1 })).toMatchObject({ status: 'cancelled' });
  });

  test('applies only to that call', async () => {
    const result = await resultOf([race(may, add('other'), quick)]);
    expect(result).toMatchObject({ status: 'unknown', error: { step: 'other' } });
  });

  test('does not apply to an outcome that was lost in another way', async () => {
    cancelled.set('op.add', () =>
      toFailure(new CallFailure({ code: 'outcome.unknown', message: 'begun by an earlier start' })),
    );
    expect(await resultOf([race(may, quick)])).toMatchObject({ status: 'unknown' });
  });
});
