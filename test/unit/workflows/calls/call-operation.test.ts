import { ActivityFailure, ApplicationFailure, CancelledFailure } from '@temporalio/common';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { PlanOperation } from '../../../../src/contracts/plan.js';
import { callOperation } from '../../../../src/workflows/calls/call-operation.js';
import { StepFailure } from '../../../../src/workflows/steps/step-failure.js';
import { examplePlan } from '../../rules/example-plan.js';

const around = vi.hoisted(() => ({
  /** What each scheduled call ends with, in turn. */
  ends: [] as unknown[],
  reasons: [] as string[],
  approvals: [] as { title: string; reasons: { text: string }[]; what: object }[],
  fired: [] as object[],
  slept: [] as number[],
}));

vi.mock('@temporalio/workflow', async (original) => ({
  ...(await original<object>()),
  sleep: async (ms: number) => void around.slept.push(ms),
}));
vi.mock('../../../../src/workflows/calls/schedule-call.js', async (original) => ({
  ...(await original<object>()),
  scheduleCall: async () => {
    const end = around.ends.shift() ?? { output: 'done' };
    if (end instanceof Error) throw end;
    return end;
  },
}));
vi.mock('../../../../src/workflows/hooks/ask-hooks.js', async (original) => ({
  ...(await original<object>()),
  askGuards: async () => around.reasons.map((text) => ({ text })),
  fireAfter: (_: unknown, __: unknown, outcome: object) => void around.fired.push(outcome),
}));
vi.mock('../../../../src/workflows/approvals/await-approval.js', async (original) => ({
  ...(await original<object>()),
  awaitApproval: async (_: unknown, wanted: never) => {
    around.approvals.push(wanted);
    return wanted;
  },
}));

beforeEach(() => {
  for (const list of Object.values(around)) list.length = 0;
});

interface Given {
  plan?: object;
  start?: object;
  count?: number;
  isCleanUp?: boolean;
  leftMs?: number;
  tooManyFiles?: boolean;
}

/** Calls an operation and returns its outcome, and what the task noted. */
async function called({
  plan = {},
  start = {},
  count = 0,
  isCleanUp = false,
  leftMs = 1000,
  tooManyFiles = false,
}: Given = {}) {
  const example = { ...examplePlan(), ...plan };
  const noted = {
    steps: [] as unknown[],
    hooks: [] as unknown[],
    warnings: [] as unknown[],
    files: [] as unknown[],
    made: [] as unknown[],
    audited: [] as unknown[],
    working: 0,
  };
  const budget = {
    left: () => leftMs,
    exhausted: () => new StepFailure({ code: 'timeout.task', message: 'all is used up' }),
    begin: () => void (noted.working += 1),
    end: () => void (noted.working -= 1),
    capWait: (ms: number) => ms,
  };
  const life = { pendingWork: 0 };
  const calls = {
    count,
    begin: () => ({
      gave: (output: unknown) => noted.made.push({ output }),
      failed: ({ code }: { code: string }) => noted.made.push({ code }),
    }),
  };
  const run = {
    task: { plan: example, start: { seal: { confirmations: [] }, session: null, user: { name: 'ada' }, ...start } },
    budget: isCleanUp ? {} : budget,
    calls,
    life,
    audit: { called: (_: unknown, error?: unknown) => noted.audited.push(codeOf(error)) },
    steps: { note: (...[, , note]: unknown[]) => noted.steps.push(note) },
    hooks: { keep: (hooks: unknown) => noted.hooks.push(hooks) },
    warnings: { add: (...texts: unknown[]) => noted.warnings.push(...texts) },
    files: { add: (...args: unknown[]) => noted.files.push(args), isTooMuch: tooManyFiles },
  };
  const branchStop = { check: () => {}, wait: (work: () => Promise<void>) => work() };
  const call = {
    path: 'p/a',
    id: 'a',
    operation: example.operations['db.write'] as PlanOperation,
    input: { n: 1 },
    budget,
    branchStop,
    groups: [],
  };
  const outcome = await callOperation(run as never, call as never).catch((error: unknown) => error);
  expect([life.pendingWork, noted.working]).toEqual([0, 0]);
  return { outcome, noted, count: calls.count, problem: (outcome as StepFailure).problem };
}

/** What the end of a call is audited with. */
function codeOf(error: unknown): string {
  if (error === undefined) return 'succeeded';
  return error instanceof StepFailure ? error.problem.code : 'cancelled';
}

function failed(code: string) {
  const cause = ApplicationFailure.create({
    type: code,
    message: 'm',
    details: [{ code, message: 'm' }, { attempt: 1 }],
  });
  return new ActivityFailure('failed', 'db.write', '1', 'NON_RETRYABLE_FAILURE', 'w', cause);
}

describe('a call', () => {
  test('returns its output, is noted and counted, and its hooks run afterwards', async () => {
    const { outcome, noted, count } = await called();
    expect([outcome, count]).toEqual(['done', 1]);
    expect(noted.steps).toEqual([
      { status: 'running', call: 'db.write' },
      { status: 'running', attempts: 1 },
    ]);
    expect([noted.made, noted.audited]).toEqual([[{ output: 'done' }], ['succeeded']]);
    expect(around.fired).toEqual([{ status: 'succeeded', output: 'done', error: null }]);
    expect(around.approvals).toEqual([]);
  });

  test('keeps what comes with its output', async () => {
    const hooks = [{ hook_id: 'h' }];
    around.ends.push({ output: 1, attempt: 2, hooks, warnings: ['w'], files: ['f'] });
    const { noted } = await called();
    expect(noted).toMatchObject({ hooks: [hooks], warnings: ['w'], files: [['p/a', ['f']]] });
    expect(noted.steps.at(-1)).toEqual({ status: 'running', attempts: 2, files: ['f'] });
  });

  test('whose files are too large in total fails, although it was made', async () => {
    around.ends.push({ output: 1, files: ['f'] });
    expect((await called({ tooManyFiles: true })).outcome).toMatchObject({
      problem: { code: 'file.too_large' },
      hasArrived: true,
    });
  });

  test('that failed is noted, and its hooks run afterwards', async () => {
    around.ends.push(failed('script.exit'));
    const { problem, noted } = await called();
    expect(problem.code).toBe('script.exit');
    expect([noted.made, noted.audited]).toEqual([[{ code: 'script.exit' }], ['script.exit']]);
    expect(around.fired).toMatchObject([{ status: 'failed', output: null, error: { code: 'script.exit' } }]);
  });

  test('that was cancelled is not a failure, and no hook runs for it', async () => {
    around.ends.push(new CancelledFailure('c'));
    const { outcome, noted } = await called();
    expect(outcome).toBeInstanceOf(CancelledFailure);
    expect([noted.made, around.fired, noted.audited]).toEqual([[], [], ['cancelled']]);
  });

  test('is not made if no time is left', async () => {
    expect((await called({ leftMs: 0 })).problem.code).toBe('timeout.task');
  });

  test.each(['seal.unknown_key', 'engine.unsupported'])('waits for another worker after %s', async (code) => {
    around.ends.push(failed(code), failed(code));
    expect((await called()).outcome).toBe('done');
    expect(around.slept).toEqual([10_000, 20_000]);
  });
});

describe('how many calls a task may make', () => {
  const plan = { limits: { ...examplePlan().limits, max_calls: 2 } };

  test.each([
    [0, 'done', 1],
    [1, 'done', 2],
  ])('with %i made before, the next call is made', async (count, outcome, after) => {
    expect(await called({ plan, count })).toMatchObject({ outcome, count: after });
  });

  test('at the limit no call is made', async () => {
    expect(await called({ plan, count: 2 })).toMatchObject({ problem: { code: 'limit.max_calls' }, count: 2 });
  });

  test('the limit does not apply to a clean-up, nor to an agent, which counts its own calls', async () => {
    expect(await called({ plan, count: 2, isCleanUp: true })).toMatchObject({ outcome: 'done', count: 2 });
    expect(await called({ plan: { ...plan, agent: {} }, count: 2 })).toMatchObject({ outcome: 'done', count: 2 });
  });
});

describe('all reasons of one call make one approval', () => {
  const environment = { ...examplePlan().environment, approve: ['write_idempotent'] };
  const ability = { ...examplePlan().ability, kind: 'operation' };
  const start = { seal: { confirmations: [{ hook_id: 'h', reason: 'confirm first' }] } };

  test('of its guards and of the environment', async () => {
    around.reasons.push('a guard asks');
    const { noted } = await called({ plan: { environment } });
    expect(around.approvals).toMatchObject([
      {
        title: 'db.write in staging',
        reasons: [{ text: 'a guard asks' }, { text: 'staging asks for approval of write_idempotent calls.' }],
        what: {
          ability: 'db.write',
          implementation: 'db.write',
          environment: 'staging',
          effects: 'write_idempotent',
          input: { n: 1 },
        },
      },
    ]);
    expect(noted.steps[0]).toEqual({ status: 'waiting', call: 'db.write' });
  });

  test('of its creation, if the task is only this call and was not called itself', async () => {
    await called({ plan: { ability }, start });
    expect(around.approvals).toMatchObject([{ reasons: [{ text: 'confirm first (hook h)' }] }]);
    around.approvals.length = 0;
    await called({ start });
    await called({ plan: { ability }, start: { ...start, child: {} } });
    expect(around.approvals).toEqual([]);
  });
});

describe('built-in hooks that all allowed, of which the answer has only the durations', () => {
  const builtin = (id: string) => ({ id, handler: { kind: 'builtin', name: 'usage', options: {} } });
  const script = { id: 'script', handler: { kind: 'script' } };
  const example = examplePlan();
  const hooks = { pre_create: [], pre_call: [builtin('before'), script], post_call: [builtin('after')] };
  const operations = { 'db.write': { ...example.operations['db.write'], hooks } };

  test('are listed as answers, those before the call first', async () => {
    around.ends.push({ output: 'done', allowed: true, allowed_ms: [3, 5] });
    const { noted } = await called({ plan: { operations } });
    expect(noted.hooks).toMatchObject([
      [
        { hook_id: 'before', phase: 'PreAbilityCall', path: 'p/a', decision: 'allow', duration_ms: 3 },
        { hook_id: 'after', phase: 'PostAbilityCall', path: 'p/a', decision: 'allow', duration_ms: 5 },
      ],
    ]);
  });

  test('are only those after the call if guards answer in an activity of their phase', async () => {
    around.ends.push({ output: 'done', allowed: true, allowed_ms: [5] });
    const { noted } = await called({ plan: { operations, hooks: 'activities' } });
    expect(noted.hooks).toMatchObject([[{ hook_id: 'after', duration_ms: 5 }]]);
  });
});
