import { ActivityFailure, ApplicationFailure, TimeoutFailure } from '@temporalio/common';
import { describe, expect, test, vi } from 'vitest';
import type { Effect } from '../../../../src/contracts/effects.js';
import type { PlanOperation } from '../../../../src/contracts/plan.js';
import { failureOf } from '../../../../src/workflows/calls/call-operation.js';
import type { LostCall } from '../../../../src/workflows/calls/lost-calls.js';
import { StepFailure } from '../../../../src/workflows/steps/step-failure.js';
import { examplePlan } from '../../rules/example-plan.js';

const scope = vi.hoisted(() => ({ consideredCancelled: false }));

vi.mock('@temporalio/workflow', async (original) => ({
  ...(await original<object>()),
  CancellationScope: { current: () => scope },
}));

const EXHAUSTED = new StepFailure({ code: 'timeout.task', message: 'all is used up' });

interface Around {
  effects?: Effect;
  /** The time that the call had left when it began, and has left now, in milliseconds. */
  leftMs?: number;
  nowMs?: number;
  mayBeCut?: boolean;
}

/** What a failure of an activity becomes, and what the task notes of it. */
function read(error: unknown, { effects = 'read', leftMs = 1e9, nowMs = 1e9, mayBeCut = false }: Around = {}) {
  const plan = examplePlan();
  const operation = { ...(plan.operations['db.write'] as PlanOperation), effects };
  const [noted, kept, lost]: [unknown[], unknown[], LostCall[]] = [[], [], []];
  const run = {
    task: { plan },
    steps: { note: (...args: unknown[]) => noted.push(args) },
    hooks: { keep: (hooks: unknown) => kept.push(hooks) },
    lost: {
      endOf: (call: LostCall) => {
        lost.push(call);
        return new StepFailure(call.problem);
      },
    },
  };
  const budget = { left: () => nowMs, exhausted: () => EXHAUSTED };
  const call = { operation, path: 'p/a', id: 'a', timeoutMs: 1000, budget, mayBeCut };
  const failure = failureOf(run as never, call as never, leftMs, error) as StepFailure;
  return { failure, noted, kept, lost };
}

const activityFailure = (cause: Error) => new ActivityFailure('failed', 'db.write', '1', 'TIMEOUT', 'w', cause);

/** An attempt that failed with a problem of ours. */
function problem(code: string, context: object = {}, details: object = {}) {
  const message = `${code}!`;
  const cause = ApplicationFailure.create({
    type: code,
    message,
    details: [
      { code, message, details },
      { attempt: 2, ...context },
    ],
  });
  return activityFailure(cause);
}

type Limit = 'START_TO_CLOSE' | 'HEARTBEAT' | 'SCHEDULE_TO_CLOSE' | 'SCHEDULE_TO_START';

/** @param before how the attempt before ended. */
const timedOut = (type: Limit, before?: Error) =>
  activityFailure(Object.assign(new TimeoutFailure('late', undefined, type), before && { cause: before }));

describe('a problem of a call', () => {
  test('becomes its failure, and its attempts and hooks are noted', () => {
    const hooks = [{ hook_id: 'h', phase: 'PreAbilityCall', path: 'a', status: 'ok', decision: 'allow' }];
    const { failure, noted, kept } = read(problem('script.exit', { hooks }));
    expect(failure.problem).toMatchObject({ code: 'script.exit', message: 'script.exit!' });
    expect(noted).toEqual([['p/a', 'a', { status: 'running', attempts: 2 }]]);
    expect(kept).toEqual([hooks]);
  });

  test('with an unknown outcome is left to the account of lost calls, with the limit that was reached', () => {
    const seen = { code: 'timeout.call', message: 'late' };
    const { lost } = read(problem('outcome.unknown', { cut: true }, { seen }), { mayBeCut: true });
    expect(lost).toMatchObject([
      { problem: { code: 'outcome.unknown' }, wasCut: true, mayBeCut: true, limit: { problem: seen } },
    ]);
    expect(read(problem('outcome.unknown')).lost).toMatchObject([{ wasCut: false, mayBeCut: false, limit: undefined }]);
  });
});

describe('a time-out of a call', () => {
  test.each(['timeout.step', 'timeout.call'])('%s becomes that of the task if the task has no time left', (code) => {
    expect(read(problem(code), { leftMs: 1000, nowMs: 50 }).failure).toBe(EXHAUSTED);
  });

  test.each<[string, Around]>([
    ['the task has time left', { leftMs: 1000, nowMs: 100 }],
    ['the limit of the step came first', { leftMs: 1001, nowMs: 50 }],
  ])('is its own if %s', (_, around) => {
    expect(read(problem('timeout.step'), around).failure.problem.code).toBe('timeout.step');
  });

  test('does not replace another problem', () => {
    expect(read(problem('script.exit'), { leftMs: 1000, nowMs: 50 }).failure.problem.code).toBe('script.exit');
  });
});

describe('a limit of Temporal', () => {
  test('that no worker met is reported as such', () => {
    expect(read(timedOut('SCHEDULE_TO_START'), { effects: 'destructive' }).failure.problem).toMatchObject({
      code: 'worker.unavailable',
      message: 'No worker took up db.write within 60 s',
      suggestion: 'Start a worker for staging.',
    });
  });

  test('is told apart: that of the step says nothing of a lost worker', () => {
    const messageAt = (type: Limit): string => read(timedOut(type)).failure.problem.message;
    expect(messageAt('SCHEDULE_TO_CLOSE')).toMatch(/^db\.write did not end within the time of its step/);
    expect(messageAt('HEARTBEAT')).toMatch(/^The worker that ran db\.write was lost/);
  });

  test.each<[string, Effect, string]>([
    ['unknown', 'destructive', 'outcome.unknown'],
    ['not begun if the call may be repeated', 'read', 'worker.unavailable'],
  ])('that no worker met after a lost attempt leaves the call %s', (_, effects, code) => {
    const lost = new TimeoutFailure('lost', undefined, 'HEARTBEAT');
    expect(read(timedOut('SCHEDULE_TO_START', lost), { effects }).failure.problem.code).toBe(code);
  });

  test.each([
    ['SCHEDULE_TO_CLOSE', 'timeout.step'],
    ['START_TO_CLOSE', 'timeout.call'],
    ['HEARTBEAT', 'timeout.call'],
  ] as const)('%s becomes %s for a call that may be repeated', (type, code) => {
    expect(read(timedOut(type)).failure.problem).toMatchObject({ code, message: expect.stringContaining(`(${type})`) });
  });

  test.each([false, true])('leaves the outcome of any other call unknown (cut: %s)', (isCut) => {
    scope.consideredCancelled = isCut;
    const { lost } = read(timedOut('HEARTBEAT'), { effects: 'destructive', mayBeCut: true });
    expect(lost).toMatchObject([
      { problem: { code: 'outcome.unknown' }, wasCut: isCut, mayBeCut: true, limit: undefined },
    ]);
    scope.consideredCancelled = false;
  });
});

test('an error that is not an activity failure is an internal error', () => {
  expect(read(new TypeError('oops')).failure.problem).toEqual({ code: 'internal.error', message: 'oops' });
  expect(read('text').failure.problem).toEqual({ code: 'internal.error', message: 'text' });
});
