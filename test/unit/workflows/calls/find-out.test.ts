import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { CallStep, Plan, PlanOperation, PlanStep } from '../../../../src/contracts/plan.js';
import type { Progress } from '../../../../src/contracts/task.js';
import { carryOut, runTreeInRuns } from '../../../property/run-tree.js';
import { Script } from '../../../property/script.js';
import { planOf } from '../../../property/trees.js';

vi.mock('@temporalio/workflow', async () => (await import('../../../property/fake-workflow.js')).fakeWorkflow);

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterAll(() => {
  vi.useRealTimers();
});

const LOST = 'outcome.unknown';
const pay: CallStep = { id: 'pay', verb: 'call', call: 'op.add', with: { n: 1 } };

function plan(steps: PlanStep[]): Plan {
  const made = planOf(steps);
  (made.operations['op.add'] as PlanOperation).unknown = {
    call: 'op.read',
    with: { key: '${{ call.idempotency_key }}' },
    happened: 'error == null',
    not_happened: "error.code == 'http.404'",
    output: { found: '${{ output.v }}' },
    wait_ms: 1000,
    attempts: 2,
  };
  return made;
}

interface Course {
  outcomes: Record<string, string[]>;
  cancelAt?: number;
  callsOfRun?: number;
  /** Decides how long each call takes. */
  salt?: number;
}

/** @returns the result of a task of these steps, and the paths of its calls in order. */
async function course(steps: PlanStep[], { outcomes, cancelAt, callsOfRun = 1e9, salt = 1 }: Course) {
  const { task } = await import('../../../../src/workflows/task.js');
  const script = new Script(salt, outcomes, {}, cancelAt);
  const { result, runs, world } = await runTreeInRuns(task, { plan: plan(steps), input: {}, script }, callsOfRun);
  return { result, runs, effects: world.effects, calls: world.effects.map(({ path }) => path) };
}

describe('a lost call', () => {
  test('is asked about by its idempotency key, after a pause', async () => {
    const { effects, result } = await course([pay], { outcomes: { pay: [LOST] } });
    const [call, question] = effects;
    expect(question).toMatchObject({ path: 'pay.unknown', call: 'op.read', with: { key: 'task/pay' } });
    const duration = new Script(1, {}, {}, undefined).duration('pay|0');
    expect((question?.at ?? 0) - (call?.at ?? 0)).toBe(duration + 1000);
    expect(result.steps).toMatchObject([
      { status: 'succeeded' },
      { id: 'pay.unknown', call: 'op.read', status: 'succeeded' },
    ]);
  });

  test('is made again after each answer that it did not take place, three times in all', async () => {
    const never = { pay: [LOST], 'pay.unknown': ['http.404'] };
    const { calls, result } = await course([pay], { outcomes: never });
    expect(calls).toEqual(Array(3).fill(['pay', 'pay.unknown']).flat());
    expect(result).toMatchObject({ status: 'failed', error: { code: 'timeout.call' } });
    const twice = await course([{ ...pay, retry: { attempts: 2, first: '1s', factor: 1, max: '1s' } }], {
      outcomes: never,
    });
    expect(twice.calls).toEqual(Array(2).fill(['pay', 'pay.unknown']).flat());
  });

  test('is made again within the time of its step only', async () => {
    const never = { pay: [LOST], 'pay.unknown': ['http.404'] };
    const { calls } = await course([{ ...pay, timeout: '1ms' }], { outcomes: never });
    expect(calls).toEqual(['pay', 'pay.unknown']);
  });

  test('that stays unknown says what was asked and answered', async () => {
    const { result, calls } = await course([pay], { outcomes: { pay: [LOST], 'pay.unknown': ['guard.denied'] } });
    expect(calls).toEqual(['pay', 'pay.unknown', 'pay.unknown']);
    expect(result).toMatchObject({
      status: 'unknown',
      error: { details: { asked: { call: 'op.read', times: 2, answer: expect.stringContaining('guard.denied') } } },
    });
  });

  test('is not taken for one that was not made, when its task goes on as a new run meanwhile', async () => {
    const branch = (id: string): PlanStep => ({
      id,
      verb: 'steps',
      steps: ['a', 'b', 'c'].map((name) => ({ ...pay, id: `${id}_${name}`, call: 'op.read' })),
    });
    const steps: PlanStep[] = [{ id: 'p', verb: 'parallel', branches: [pay, branch('x')] }];
    let most = 0;
    const courses: Course['outcomes'][] = [{ pay: [LOST] }, { pay: [LOST], 'pay.unknown': ['guard.denied'] }];
    for (const outcomes of courses) {
      for (const salt of [1, 2, 3, 4, 5, 6]) {
        const { runs, calls, result } = await course(steps, { outcomes, callsOfRun: 2, salt });
        most = Math.max(most, runs);
        expect(calls.filter((path) => path === 'p/pay')).toHaveLength(1);
        expect(result.status).toBe('pay.unknown' in outcomes ? 'unknown' : 'succeeded');
      }
    }
    expect(most).toBeGreaterThan(1);
  });
});

describe('a task that goes on with a lost call of an earlier one', () => {
  const doubt = { idempotency_key: 'earlier/pay', input: { n: 1 } };
  const again = async (steps: PlanStep[], progress: Progress, outcomes: Record<string, string[]> = {}) => {
    const { task } = await import('../../../../src/workflows/task.js');
    return carryOut(task, { plan: plan(steps), input: {}, script: new Script(1, outcomes, {}, undefined) }, progress);
  };
  const lost = (path: string): Progress => ({ [`${path}.unknown`]: { status: 'pending', call: 'op.read', doubt } });

  test('asks before anything else, and counts it as made', async () => {
    const { result, effects } = await again([pay], lost('pay'));
    expect(effects).toMatchObject([{ path: 'pay.unknown', with: { key: 'earlier/pay' } }]);
    expect(result.status).toBe('succeeded');
  });

  test('makes it if it did not take place', async () => {
    const { result, effects } = await again([pay], lost('pay'), { 'pay.unknown': ['http.404'] });
    expect(effects.map(({ path }) => path)).toEqual(['pay.unknown', 'pay']);
    expect(result.status).toBe('succeeded');
  });

  test('does not take the answer for that of another item of a loop', async () => {
    const loop = (list: number[]): PlanStep => {
      const inner = { ...pay, with: { n: '${{ n }}' } };
      return { id: 'all', verb: 'foreach', foreach: { list }, as: 'n', max_parallel: 1, steps: [inner] };
    };
    expect((await again([loop([1])], lost('all/0/pay'))).result.status).toBe('succeeded');
    expect((await again([loop([2])], lost('all/0/pay'))).result).toMatchObject({
      status: 'unknown',
      error: { message: expect.stringContaining('another one now') },
    });
  });
});
