import { ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type {
  Continued,
  PreflightAnswer,
  TaskArguments,
  TaskOptions,
  TaskStart,
} from '../../../../src/contracts/task.js';
import { nextArguments, startOf } from '../../../../src/rules/tasks/task-arguments.js';
import { beginTask } from '../../../../src/workflows/preflight/begin.js';
import { START } from '../../../property/fake-workflow.js';
import { attributes, beginningWorld, FORMED, failureOf, OURS, PLAN, refusal } from './begun-task.js';

vi.mock('@temporalio/workflow', async () => (await import('../../../property/fake-workflow.js')).fakeWorkflow);

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterAll(() => {
  vi.useRealTimers();
});

/** Begins a task after some milliseconds. */
async function begun(args: unknown[], info?: object, answer?: Parameters<typeof beginningWorld>[1], afterMs = 0) {
  const { world, preflight } = beginningWorld(info, answer);
  const end = await world
    .run(async () => {
      await new Promise<void>((resolve) => void world.after(afterMs, resolve));
      return beginTask(args as TaskArguments);
    })
    .catch((error: unknown) => ({ error }));
  return { end, error: (end as { error?: unknown }).error, preflight, shown: world.shown };
}

/** A start that no client of ours made: it has no memo and no attributes. */
const OUTSIDE = {};
/** Of the run that asks for a preflight. */
const TIMES = { first: 'first', created_at: '2030-01-01T00:00:00.000Z', moment: START };
const NEXT = { continuedFromExecutionRunId: 'earlier' };
const user = { name: 'ada' };
const start: TaskStart = startOf({ input: { n: 1 }, options: { user } }, FORMED, 'task');

describe('the first act of a task', () => {
  test('is its preflight, after which it begins', async () => {
    const { end, preflight } = await begun([{ n: 1 }, { user }]);
    expect(end).toEqual({ start });
    expect(preflight.mock.calls).toEqual([[{ input: { n: 1 }, options: { user }, ...TIMES, project: 'acme' }]]);
  });

  test('says if no client of ours started it, which would have refused a key that is taken', async () => {
    const { preflight } = await begun([], OUTSIDE);
    expect(preflight.mock.calls).toEqual([[{ input: {}, options: {}, ...TIMES, outside: true }]]);
  });

  test('may be answered by the result of an ended task', async () => {
    const ended: PreflightAnswer = { ended: { status: 'succeeded', output: 1, steps: [] } };
    expect((await begun([{}], OURS, ended)).end).toEqual(ended);
  });

  test('names the queue of its placement, if it was started on another one', async () => {
    const queue = 'acme-staging-cloud';
    expect((await begun([{}], OURS, { ...FORMED, queue })).end).toMatchObject({ queue });
    expect((await begun([{}])).end).toMatchObject({ queue: undefined });
  });
});

describe('what lists show of a task', () => {
  const all = { AbilityProject: 'acme', AbilityEnvironment: 'staging', AbilityModule: 'integration' };
  const memo = { ability: 'signup', version: 1, environment: 'staging' };

  test('is what its client set, without a further event', async () => {
    expect((await begun([{}])).shown).toEqual([]);
  });

  test('is corrected where the definitions of the client were others', async () => {
    const typedSearchAttributes = attributes({ ...all, AbilityModule: 'other', AbilityStatus: 'running' });
    expect((await begun([{}], { ...OURS, typedSearchAttributes })).shown).toEqual([{ AbilityModule: 'integration' }]);
  });

  test('is set by the task for a start from outside, once', async () => {
    expect((await begun([], OUTSIDE)).shown).toEqual([
      { ...all, AbilityStatus: 'running' },
      { memo: { ...memo, requested_by: 'unknown' } },
    ]);
  });

  test('has for a start from outside what that claims', async () => {
    const options: TaskOptions = {
      ...{ user: { name: 'ada', agent: 'probe' }, session: 's-1', create: true, intent: 'weekly' },
      ...{ retry: { task: 't-0', from: null }, trace: '00-a', handle: 'h' },
    };
    expect((await begun([{}, options], OUTSIDE)).shown).toEqual([
      { ...all, AbilityStatus: 'created', AbilitySession: 's-1' },
      {
        memo: {
          ...{ ...memo, requested_by: 'ada', agent: 'probe', retry_of: 't-0', intent: 'weekly' },
          ...{ trace: '00-a', handle: 'h' },
        },
      },
    ]);
  });
});

describe('a refused start', () => {
  const problem = { code: 'guard.denied', message: 'No.', suggestion: 'Ask.' };
  const details = [{ status: 'unavailable', code: 'guard.denied', reason: 'No.', suggestion: 'Ask.' }];

  test('fails with its code, and lists show that', async () => {
    const { error, shown } = await begun([{}], OURS, refusal(problem));
    expect(error).toMatchObject({ type: 'guard.denied', nonRetryable: true, details });
    expect(shown).toEqual([{ AbilityStatus: 'unavailable' }]);
  });

  test('from outside is shown where the worker refused it', async () => {
    const { shown } = await begun(
      [{}, { user }],
      OUTSIDE,
      refusal(problem, { project: 'acme', environment: 'staging' }),
    );
    expect(shown).toEqual([
      { AbilityStatus: 'unavailable', AbilityProject: 'acme', AbilityEnvironment: 'staging' },
      { memo: { ability: 'signup', environment: 'staging', requested_by: 'ada' } },
    ]);
    const nowhere = await begun([{}], OUTSIDE, refusal(problem, { project: 'acme' }));
    expect(nowhere.shown[0]).toEqual({ AbilityStatus: 'unavailable', AbilityProject: 'acme' });
  });

  test.each<[string, unknown[], string]>([
    ['whose input is no object', ['text'], 'input.invalid'],
    ['with an option that there is not', [{}, { environment: 'prod' }], 'usage.invalid'],
  ])('%s asks for no preflight', async (_, args, type) => {
    const { error, preflight, shown } = await begun(args);
    expect(error).toMatchObject({ type, details: [{ status: 'unavailable' }] });
    expect(preflight).not.toHaveBeenCalled();
    expect(shown).toEqual([{ AbilityStatus: 'unavailable' }]);
  });

  test.each<[string, unknown[], object, string]>([
    ['is refused for its arguments', ['text'], OUTSIDE, 'unavailable'],
    ['is refused for its time-outs', [{}], { runTimeoutMs: 1000 }, 'unavailable'],
    ['comes too late', [{}, { start_by: '2029-01-01T00:00:00Z' }], OUTSIDE, 'expired'],
  ])(
    'a start from outside that %s is listed where it was started, as its worker says',
    async (_, args, info, status) => {
      const place = { project: 'acme', environment: 'staging' };
      const { preflight, shown } = await begun(args, info, refusal({ code: 'x', message: 'x' }, place));
      expect(preflight.mock.calls).toMatchObject([[{ refused: { code: expect.any(String) } }]]);
      expect(shown[0]).toEqual({
        AbilityStatus: status,
        AbilityProject: 'acme',
        AbilityEnvironment: 'staging',
      });
    },
  );

  test.each<[string, Error]>([
    ['a cancellation', failureOf(new CancelledFailure('cancelled'))],
    ['a mistake of ours', new TypeError('broken')],
  ])('is none for %s', async (_, failure) => {
    const { error, shown } = await begun([{}], OURS, failure);
    expect(error).toBe(failure);
    expect(shown).toEqual([]);
  });
});

describe('a start that somebody waits for', () => {
  const startedAt = { ...OURS, startTime: new Date(START) };
  const until = (start_by: string, afterMs: number) => begun([{}, { start_by }], startedAt, FORMED, afterMs);

  test.each([
    ['60s', 60_000],
    ['2030-01-01T00:01:00.000Z', 60_000],
  ])('within %s begins until then, and not later', async (start_by, limit) => {
    expect((await until(start_by, limit)).end).toHaveProperty('start');
    const { end, preflight } = await until(start_by, limit + 1);
    expect(end).toMatchObject({
      ended: { status: 'expired', output: null, error: { code: 'task.expired' }, steps: [] },
    });
    expect(preflight).not.toHaveBeenCalled();
  });

  test('within no time that can be read is refused', async () => {
    const { error } = await until('soon', 0);
    expect(error).toMatchObject({ type: 'usage.invalid', message: expect.stringContaining('"soon"') });
  });
});

test.each<[string, object]>([
  ['cron schedule', { cronSchedule: '* * * * *' }],
  ['retry policy', { retryPolicy: { maximumAttempts: 2 } }],
  ['execution timeout', { executionTimeoutMs: 1000 }],
  ['execution timeout', { executionTimeoutMs: 364 * 86_400_000 }],
  ['run timeout', { runTimeoutMs: 1000 }],
])('a start with a %s of Temporal is refused by that name, before its preflight', async (name, info) => {
  const { error, preflight } = await begun([{}], { ...OURS, ...info });
  expect(error).toMatchObject({ type: 'usage.invalid', message: expect.stringContaining(name) });
  expect(preflight).not.toHaveBeenCalled();
});

test('the ten years that a time-skipping server gives every workflow are no timeout', async () => {
  const executionTimeoutMs = 10 * 365 * 86_400_000;
  const limits = { executionTimeoutMs, runTimeoutMs: executionTimeoutMs };
  expect((await begun([{}], { ...OURS, ...limits })).end).toHaveProperty('start');
  expect((await begun([{}], { ...OURS, runTimeoutMs: 0 })).end).toHaveProperty('start');
});

test('a start with several such settings is refused with all their names', async () => {
  const { error } = await begun([{}], { ...OURS, cronSchedule: '* * * * *', runTimeoutMs: 1 });
  expect(error).toMatchObject({ message: expect.stringMatching(/cron schedule.* and no run timeout/) });
});

describe('a run that was handed over', () => {
  const next = nextArguments(start);
  const [input, options, continued] = next as [object, TaskOptions, Continued];
  const child = { ability: 'inner', left_ms: 1 };
  const calling: TaskStart = { ...start, plan: { ...PLAN, workflows: { inner: {} as never } } };
  const called = nextArguments({ ...calling, child });
  const PARENT = { parent: { workflowId: 'k', runId: 'r' } };

  test.each<[string, unknown[], object, object]>([
    ['by an earlier run', next, NEXT, { plan: PLAN, input: { n: 1 } }],
    ['by a task that called it', called, PARENT, { child }],
    [
      'by an earlier run of a called task, with its progress',
      nextArguments({ ...calling, child, carried: {} as never, progress: { a: {} } as never }),
      { ...PARENT, ...NEXT },
      { child, progress: { a: {} } },
    ],
  ])('%s begins without a preflight', async (_, args, info, expected) => {
    const { end, preflight, shown } = await begun(args, info);
    expect(end).toMatchObject({ start: expected });
    expect(preflight).not.toHaveBeenCalled();
    expect(shown).toEqual([]);
  });

  test.each<[string, unknown[], object]>([
    ['by nobody', next, {}],
    ['by a parent that is none of ours', next, PARENT],
    ['by a call of nobody', called, {}],
    ['by a call of nobody, in a later run', called, NEXT],
    [
      'by a call, with what only an earlier run could have done',
      nextArguments({ ...calling, child, carried: {} as never }),
      PARENT,
    ],
    ['by a call, with a time of an earlier run', nextArguments({ ...calling, child, created_at: '2030' }), PARENT],
    ['by a call, with progress', nextArguments({ ...calling, child, progress: {} }), PARENT],
    [
      'by a call, with a change of its input',
      nextArguments({ ...calling, child, changed: {} as never }),
      { ...PARENT, ...NEXT },
    ],
    ['by a task whose plan does not call it', nextArguments({ ...start, child }), PARENT],
    ['in another form', [input, options, { $plan: PLAN }], NEXT],
    ['as text', [input, options, 'text'], NEXT],
  ])('%s is refused', async (_, args, info) => {
    const { error, preflight } = await begun(args, info);
    expect(error).toMatchObject({ type: 'seal.invalid', details: [{ status: 'unavailable' }] });
    // Only asked where it is.
    for (const [request] of preflight.mock.calls) expect(request.refused).toMatchObject({ code: 'seal.invalid' });
  });

  test('to a worker of another build fails only the workflow task', async () => {
    const other = { ...continued, $plan: { ...PLAN, engine: 99 } };
    const { error, shown } = await begun([input, options, other], NEXT);
    expect(error).not.toBeInstanceOf(ApplicationFailure);
    expect(error).toMatchObject({ message: expect.stringMatching(/^engine\.unsupported: .*engine 99/) });
    expect(shown).toEqual([]);
  });

  test('is none if the third argument is null', async () => {
    expect((await begun([{ n: 1 }, { user }, null])).end).toEqual({ start });
  });
});
