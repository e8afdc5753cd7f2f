import { ApplicationFailure, CancelledFailure, ChildWorkflowFailure, RetryState } from '@temporalio/common';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { callWorkflow, type WorkflowCall } from '../../../../src/workflows/calls/call-workflow.js';
import { StepFailure } from '../../../../src/workflows/steps/step-failure.js';
import { examplePlan } from '../../rules/example-plan.js';

const temporal = vi.hoisted(() => ({
  /** What the child ends with: a result, or an error that is thrown. */
  end: undefined as unknown,
  started: [] as {
    type: string;
    options: {
      workflowId: string;
      args: object[];
      memo: object;
      typedSearchAttributes: { key: { name: string }; value: unknown }[];
    };
  }[],
  memo: {} as object,
  /** Whether what surrounds the call was cancelled. */
  isCancelled: false,
}));

vi.mock('@temporalio/workflow', async (original) => ({
  ...(await original<object>()),
  executeChild: async (type: string, options: never) => {
    temporal.started.push({ type, options });
    if (temporal.end instanceof Error) throw temporal.end;
    return temporal.end;
  },
  CancellationScope: { current: () => ({ consideredCancelled: temporal.isCancelled }) },
  workflowInfo: () => ({
    memo: temporal.memo,
    typedSearchAttributes: {
      getAll: () =>
        ['AbilityProject', 'AbilityStatus', 'AbilityModule', 'AbilityParent'].map((name) => ({
          key: { name },
          value: 'of the caller',
        })),
    },
  }),
}));

beforeEach(() => {
  temporal.end = { output: 'done' };
  temporal.started.length = 0;
  temporal.memo = {};
  temporal.isCancelled = false;
});

/** Calls a workflow and returns its outcome, and what the task noted. */
async function called(
  call: Partial<WorkflowCall> = {},
  {
    leftMs = 5000,
    leftAfterMs = leftMs,
    run = {},
    intent,
  }: { leftMs?: number; leftAfterMs?: number; run?: object; intent?: string } = {},
) {
  const plan = examplePlan();
  const child = { ability: { ...plan.ability, id: 'inner', modules: ['m.inner'] }, steps: [], placement: 'local' };
  const whole = { ...plan, abilities: { inner: child }, workflows: { inner: child } };
  const noted = {
    steps: [] as unknown[],
    spent: [] as number[],
    agents: [] as unknown[],
    files: [] as unknown[],
    made: [] as unknown[],
  };
  const life = { pendingWork: 0, pendingTasks: 0 };
  const taskRun = {
    task: {
      id: 't-1',
      start: { plan: whole, seal: { plan: 'd', intent }, user: { name: 'ada' }, session: 's-1' },
    },
    files: { within: () => undefined, room: undefined, adopt: (...args: unknown[]) => noted.files.push(args) },
    input: { changedBy: [] },
    steps: { note: (...args: unknown[]) => noted.steps.push(args) },
    calls: {
      begin: (...args: unknown[]) => {
        noted.made.push(args);
        return {
          gave: (output: unknown) => noted.made.push({ output }),
          failed: (problem: unknown) => noted.made.push({ problem }),
        };
      },
      countAgent: (usage: unknown) => noted.agents.push(usage),
    },
    life,
    ...run,
  };
  let left = leftMs;
  const budget = {
    left: () => left,
    exhausted: () => new StepFailure({ code: 'timeout.task', message: 'all is used up' }),
    spend: (ms: number) => {
      noted.spent.push(ms);
      left = leftAfterMs;
    },
  };
  const one = { path: 'p/a', id: 'a', ability: 'inner', input: { n: 1 }, budget, groups: [], ...call };
  const outcome = await callWorkflow(taskRun as never, one as never).catch((error: unknown) => error);
  expect(life).toEqual({ pendingWork: 0, pendingTasks: 0 });
  const [started] = temporal.started;
  return { outcome, noted, started, problem: (outcome as StepFailure).problem };
}

/** A child that failed with a result. */
function failed(result: object | undefined, type = 'script.exit') {
  const details = result === undefined ? [] : [result];
  return endedBy(ApplicationFailure.create({ type, message: 'broken', details }));
}

function endedBy(cause: Error) {
  const execution = { workflowId: 'x', runId: 'y' };
  return new ChildWorkflowFailure('default', execution, 'inner', RetryState.NON_RETRYABLE_FAILURE, cause);
}

describe('a workflow that is called', () => {
  test('is a child under the key of its caller and its path, and returns its output', async () => {
    const { outcome, started, noted } = await called();
    expect(outcome).toBe('done');
    expect(started).toMatchObject({
      type: 'inner',
      options: { workflowId: 't-1/p/a', workflowIdReusePolicy: 'REJECT_DUPLICATE' },
    });
    expect(noted.steps).toEqual([['p/a', 'a', { status: 'running', call: 'inner', child: 't-1/p/a', attempts: 1 }]]);
    expect(noted.made).toEqual([['p/a', 'inner', { n: 1 }, 't-1/p/a'], { output: 'done' }]);
  });

  test('has a key of its own in a later attempt of a group', async () => {
    expect((await called({ groups: [1, 2] })).started?.options.workflowId).toBe('t-1/p/a~1.2');
    temporal.started.length = 0;
    expect((await called({ groups: [1, 1] })).started?.options.workflowId).toBe('t-1/p/a');
  });

  test('is not called if no time is left', async () => {
    const { problem, started } = await called({}, { leftMs: 0 });
    expect(problem.code).toBe('timeout.task');
    expect(started).toBeUndefined();
  });

  test('has the search attributes of its caller, with its own module and status, and names it', async () => {
    const { started } = await called();
    const attributes = started?.options.typedSearchAttributes.map(({ key, value }) => [key.name, value]);
    expect(attributes).toEqual([
      ['AbilityProject', 'of the caller'],
      ['AbilityStatus', 'running'],
      ['AbilityParent', 't-1'],
      ['AbilityModule', 'm.inner'],
    ]);
  });

  test('has its caller and its request in its memo', async () => {
    expect((await called()).started?.options.memo).toMatchObject({
      ability: 'inner',
      environment: 'staging',
      requested_by: 'ada',
      parent: 't-1',
    });
    expect((await called()).started?.options.memo).not.toHaveProperty('trace');
    expect((await called()).started?.options.memo).not.toHaveProperty('intent');
  });

  test('has the intent of its caller in its memo', async () => {
    expect((await called({}, { intent: 'weekly' })).started?.options.memo).toMatchObject({ intent: 'weekly' });
  });

  test('continues the trace of its caller', async () => {
    const trace = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    temporal.memo = { trace };
    expect((await called()).started?.options.memo).toMatchObject({ trace });
  });

  test('spends the time, the tokens and the files that it reports', async () => {
    const agent = { turns: 2 };
    temporal.end = { output: 1, worked_ms: 40, agent, files: ['f'] };
    expect((await called()).noted).toMatchObject({ spent: [40], agents: [agent], files: [['p/a', ['f'], 1]] });
  });

  test('counts its tokens for a caller that requests them', async () => {
    temporal.end = { output: 1, agent: { turns: 2 } };
    const used = vi.fn();
    const { noted } = await called({ used });
    expect(used).toHaveBeenCalledWith({ turns: 2 });
    expect(noted.agents).toEqual([]);
  });
});

test('a workflow that is called knows who changed the input of its caller', async () => {
  const startOf = async (changedBy: string[]) => {
    temporal.started.length = 0;
    return JSON.stringify((await called({}, { run: { input: { changedBy } } })).started?.options.args);
  };
  expect(await startOf(['bob'])).toContain('"changed_by":["bob"]');
  expect(await startOf([])).not.toContain('changed_by');
});

describe('a workflow that failed', () => {
  test('fails its step with its own problem, and names its task', async () => {
    temporal.end = failed({
      error: { code: 'script.exit', message: 'm', step: 's', details: { exit_code: 1 } },
      worked_ms: 7,
    });
    const { problem, noted } = await called();
    expect(problem).toEqual({
      code: 'script.exit',
      message: 'm',
      step: 's',
      details: { task: 't-1/p/a', exit_code: 1 },
    });
    expect(noted.spent).toEqual([7]);
    expect(noted.made.at(-1)).toEqual({ problem });
  });

  test('names the innermost task, and keeps details that are not a map', async () => {
    temporal.end = failed({ error: { code: 'c', message: 'm', details: { task: 't-1/p/a/b' } } });
    expect((await called()).problem.details).toEqual({ task: 't-1/p/a/b' });
    temporal.end = failed({ error: { code: 'c', message: 'm', details: 'text' } });
    expect((await called()).problem.details).toEqual({ task: 't-1/p/a', value: 'text' });
    temporal.end = failed({ error: { code: 'c', message: 'm' } });
    expect((await called()).problem.details).toEqual({ task: 't-1/p/a' });
  });

  test('reports whether its failure is an answer', async () => {
    temporal.end = failed({ error: { code: 'c', message: 'm' }, answer: true });
    expect((await called()).outcome).toMatchObject({ isAnswer: true, hasArrived: false });
    temporal.end = failed({ error: { code: 'c', message: 'm' } });
    expect((await called()).outcome).toMatchObject({ isAnswer: false, hasArrived: false });
  });

  test('without a result fails with its type', async () => {
    temporal.end = failed(undefined);
    const { problem, noted } = await called();
    expect(problem).toMatchObject({ code: 'script.exit', message: 'broken' });
    expect(noted.spent).toEqual([0]);
  });

  test('because of its time-out has not used up the time of its caller', async () => {
    temporal.end = failed({ error: { code: 'timeout.task', message: 'm' } });
    expect((await called()).problem.code).toBe('timeout.step');
  });

  test('after all the time of its caller ends its caller by the time-out', async () => {
    temporal.end = failed({ error: { code: 'script.exit', message: 'm' } });
    expect((await called({}, { leftAfterMs: 0 })).problem.code).toBe('timeout.task');
  });

  test('still counts its files and tokens', async () => {
    temporal.end = failed({ error: { code: 'c', message: 'm' }, agent: { turns: 1 }, files: ['f'] });
    expect((await called()).noted).toMatchObject({ agents: [{ turns: 1 }], files: [['p/a', ['f'], null]] });
  });

  test('because it alone was cancelled fails with `child.cancelled`', async () => {
    temporal.end = endedBy(new CancelledFailure('cancelled'));
    const { problem, noted } = await called();
    expect(problem).toEqual({
      code: 'child.cancelled',
      message: 't-1/p/a was cancelled',
      details: { task: 't-1/p/a' },
    });
    expect(noted.made.at(-1)).toEqual({ problem });
  });

  test('because its caller was cancelled cancels its caller', async () => {
    temporal.end = endedBy(new CancelledFailure('cancelled'));
    temporal.isCancelled = true;
    expect((await called()).outcome).toBe(temporal.end);
  });

  test('in any other way fails with `child.failed`', async () => {
    temporal.end = new Error('terminated');
    expect((await called()).problem).toEqual({
      code: 'child.failed',
      message: 't-1/p/a: terminated',
      details: { task: 't-1/p/a' },
    });
  });
});
