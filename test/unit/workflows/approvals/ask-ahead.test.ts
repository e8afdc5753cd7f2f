import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ACTIVITIES, SIGNALS } from '../../../../src/contracts/names.js';
import type { Plan, PlanStep } from '../../../../src/contracts/plan.js';
import type { StoredResult } from '../../../../src/contracts/stored-result.js';
import type { TaskArguments } from '../../../../src/contracts/task.js';
import { START, World } from '../../../property/fake-workflow.js';
import { type Attempt, Script } from '../../../property/script.js';
import { planOf } from '../../../property/trees.js';

vi.mock('@temporalio/workflow', async () => (await import('../../../property/fake-workflow.js')).fakeWorkflow);

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterAll(() => {
  vi.useRealTimers();
});

const HOUR = 3_600_000;
const DUE = START + 2 * HOUR;
const SCHEDULE = { cron: '0 2 * * *', timezone: 'UTC', overlap: 'skip', jitter_ms: 0, catch_up_ms: HOUR };

const ask = (id: string, more: object = {}): PlanStep => ({
  ...{ id, verb: 'approval', approval: { title: `${id} \${{ input.to }}?`, expires: '24h', comment: 'optional' } },
  ...more,
});
const change = (id: string, to = '${{ input.to }}', more: object = {}): PlanStep => ({
  ...{ id, verb: 'call', call: 'op.add', with: { to } },
  ...more,
});

class Quick extends Script {
  override attempt(): Attempt {
    return { ms: 1000, output: { v: 1 } };
  }
}

interface Firing {
  /** By approval path: when people decide, in milliseconds from the begin of the task, and what. */
  says?: Record<string, [at: number, says: 'approve' | 'deny']>;
  /** When it is due, when it begins. Milliseconds since 1970. */
  due?: number;
  begins?: number;
  memo?: object;
  cancelAt?: number;
  why?: string | Error | null;
  /** When a worker takes it up; default: when it begins. */
  taken?: number;
  callsOfRun?: number;
  input?: { to: string; hot: boolean };
  /** The whole plan, if it is another one. */
  plan?: (plan: Plan) => Plan;
  confirmations?: object[];
}

/** Runs a firing whose approvals are asked two hours before. */
async function fire(steps: PlanStep[], given: Firing = {}) {
  const { says = {}, due = DUE, begins = START, memo = { approve_before_ms: 2 * HOUR }, why = null } = given;
  const { task } = await import('../../../../src/workflows/task.js');
  const base = planOf(steps);
  const op = { ...base.operations['op.add'], effects: 'write_additive' };
  let plan = {
    ...base,
    operations: { ...base.operations, 'op.add': op },
    environment: { ...base.environment, approve: ['write_additive'] },
  } as unknown as Plan;
  if (given.plan) plan = given.plan(plan);
  const quiet = new Proxy({}, { get: () => 'nothing' }) as Record<string, 'nothing'>;
  const script = new Quick(1, {}, quiet, given.cancelAt);
  const world = new World(
    plan,
    script,
    (ms) => void vi.setSystemTime(ms - START + (given.taken ?? begins)),
    given.callsOfRun,
  );
  const key = `schedule:acme:nightly-${new Date(due).toISOString().slice(0, 19)}Z`;
  const info = {
    workflowId: key,
    startTime: new Date(begins),
    memo: { ability: 'signup', schedule: { ...SCHEDULE, ...memo } },
  };
  world.info = info;
  world.answers.set(ACTIVITIES.preflight, async () => ({
    seal: { key_id: 'k', mac: '', ...(given.confirmations && { confirmations: given.confirmations }) },
    plan,
  }));
  const asked = vi.fn(async (_: unknown) => {
    if (why instanceof Error) throw why;
    return why;
  });
  world.answers.set(ACTIVITIES.checkFiring, asked);
  const open = (): { id: string; path: string; status: string }[] =>
    (world.handlers.get('task') as () => StoredResult)().approvals ?? [];
  let args: TaskArguments = [given.input ?? { to: 'v2', hot: true }];
  for (;;) {
    const run = async (): Promise<StoredResult> => {
      if (world.runs === 1) {
        for (const [path, [at, verdict]] of Object.entries(says)) {
          world.after(at, () => {
            const found = open().findLast((one) => one.path === path && one.status === 'open');
            world.handlers.get(SIGNALS[verdict])?.({ approval_id: found?.id ?? 'none', by: 'ada' });
          });
        }
      }
      return task(...structuredClone(args));
    };
    try {
      return { ...told(await world.run(run), world), asked, key };
    } catch (error) {
      const next = (error as { command?: { args: TaskArguments } }).command;
      if (next) {
        args = next.args;
        continue;
      }
      const [result] = (error as { details?: [StoredResult?] }).details ?? [];
      if (!result) throw error;
      return { ...told(result, world), asked, key };
    }
  }
}

function told(result: StoredResult, world: World) {
  const approvals = (result.approvals ?? []).map(({ path, status, due_at, used_at }) => [
    path,
    status,
    due_at ?? '',
    !!used_at,
  ]);
  const ids = (result.approvals ?? []).map(({ id }) => id);
  return {
    result,
    error: result.error?.code,
    message: result.error?.message,
    approvals,
    ids,
    ran: world.effects,
    now: world.now,
    runs: world.runs,
    shown: world.shown,
  };
}

const at = new Date(DUE).toISOString();
const both = [ask('ask'), change('migrate')];
const yes = (...paths: string[]) =>
  Object.fromEntries(paths.map((path, index) => [path, [index + 1, 'approve'] as const])) as Firing['says'];

describe('a firing that is asked for ahead', () => {
  test('asks for all that is known at once, and runs when it is due without asking again', async () => {
    const { result, approvals, ran, asked, shown } = await fire(both, { says: yes('ask', 'migrate') });
    expect(result.status).toBe('succeeded');
    expect(approvals).toEqual([
      ['ask', 'approved', at, true],
      ['migrate', 'approved', at, true],
    ]);
    expect(ran.map((effect) => [effect.at, effect.path, effect.with])).toEqual([[2 * HOUR, 'migrate', { to: 'v2' }]]);
    expect(result.started_at).toBe(at);
    expect(asked.mock.calls).toMatchObject([[{ schedule: 'nightly', since: new Date(START).toISOString() }]]);
    expect(shown.map((one) => (one as { AbilityStatus?: string }).AbilityStatus)).toEqual(
      expect.arrayContaining(['waiting_approval', 'waiting']),
    );
  });

  test('raises each under the id that its step raises', async () => {
    const ahead = await fire(both, { says: yes('ask', 'migrate') });
    const byHand = await fire(both, { memo: {}, says: { ask: [1, 'approve'], migrate: [HOUR, 'approve'] } });
    expect(byHand.result.status).toBe('succeeded');
    expect(byHand.approvals.map(([, , due]) => due)).toEqual(['', '']);
    expect(ahead.ids).toEqual(byHand.ids);
  });

  test('ends when it is due, if someone has not decided', async () => {
    const { result, error, message, approvals, ran, now } = await fire(both, { says: yes('migrate') });
    expect([result.status, error, now]).toEqual(['denied', 'approval.expired', 2 * HOUR]);
    expect(message).toContain(at);
    expect(approvals).toEqual([
      ['ask', 'expired', at, false],
      ['migrate', 'approved', at, false],
    ]);
    expect(ran).toEqual([]);
  });

  test('ends at once, if one is denied; no one is asked for the others any more', async () => {
    const { result, error, approvals, now } = await fire(both, { says: { migrate: [HOUR, 'deny'] } });
    expect([result.status, error, now]).toEqual(['denied', 'approval.denied', HOUR]);
    expect(approvals.map(([path, status]) => [path, status])).toEqual([
      ['ask', 'cancelled'],
      ['migrate', 'denied'],
    ]);
  });

  const confirmations = [{ hook_id: 'careful', reason: 'Careful.' }];

  test('asks what a hook before creation asks, too', async () => {
    const { result, approvals } = await fire(both, { confirmations, says: yes('run', 'ask', 'migrate') });
    expect(result.status).toBe('succeeded');
    expect(approvals.map(([path, status, , used]) => [path, status, used])).toEqual([
      ['run', 'approved', true],
      ['ask', 'approved', true],
      ['migrate', 'approved', true],
    ]);
  });

  test('asks for a low-level ability, with all reasons at once', async () => {
    const plan = (plan: Plan): Plan => ({ ...plan, ability: { ...plan.ability, id: 'op.add', kind: 'operation' } });
    const { result, approvals, ran } = await fire([], { plan, confirmations, says: yes('run') });
    expect([result.status, approvals]).toEqual(['succeeded', [['run', 'approved', at, true]]]);
    expect(result.approvals?.[0]?.reasons).toEqual([
      expect.stringContaining('staging asks'),
      'Careful. (hook careful)',
    ]);
    expect(ran.map((effect) => effect.at)).toEqual([2 * HOUR]);
  });

  test.each([
    ['while people decide', {}],
    ['while it waits to be due', { says: yes('ask', 'migrate') }],
  ])('can be cancelled %s', async (_, given) => {
    const { result, ran, now } = await fire(both, { ...given, cancelAt: HOUR });
    expect([result.status, ran, now]).toEqual(['cancelled', [], HOUR]);
  });

  test('waits without people, if nothing is to be asked', async () => {
    const { result, approvals, ran } = await fire([change('migrate', 'v1', { if: 'input.hot == false' }), ask('ask')], {
      says: { ask: [1, 'approve'] },
    });
    expect([result.status, ran, approvals]).toEqual(['succeeded', [], [['ask', 'approved', at, true]]]);
  });

  test.each([
    ['its schedule is paused', { why: 'its schedule is paused' }],
    ['nothing ran it within its catch-up', { memo: { approve_before_ms: 2 * HOUR, catch_up_ms: -1 } }],
  ])('does not run, if %s', async (why, given) => {
    const { result, error, message, ran } = await fire(both, { ...given, says: yes('ask', 'migrate') });
    expect([result.status, error, ran]).toEqual(['denied', 'approval.withdrawn', []]);
    expect(message).toContain(why);
  });

  test('does not run, if no one can say whether its schedule still fires', async () => {
    const { error, message, ran } = await fire(both, { says: yes('ask', 'migrate'), why: new Error('no server') });
    expect([error, ran]).toEqual(['approval.withdrawn', []]);
    expect(message).toContain('no server');
  });

  test('counts what was approved ahead in a later run of the task, too', async () => {
    const steps = [change('one', 'v1'), change('two', 'v2'), ask('ask')];
    const { result, runs, approvals } = await fire(steps, { says: yes('one', 'two', 'ask'), callsOfRun: 1 });
    expect([result.status, runs]).toEqual(['succeeded', 3]);
    expect(approvals.map(([path, status, , used]) => [path, status, used])).toEqual([
      ['one', 'approved', true],
      ['two', 'approved', true],
      ['ask', 'approved', true],
    ]);
  });
});

describe('when the task comes to it is asked', () => {
  test.each<[string, PlanStep[], string]>([
    ['what reads an output', [change('one'), change('late', '${{ steps.one.output.v }}')], 'late'],
    [
      'what runs only if an output says so',
      [change('one'), change('late', 'x', { if: 'steps.one.output.v >= 0' })],
      'late',
    ],
    ['what reads the clock', [change('one'), change('late', '${{ string(now()) }}')], 'late'],
    [
      'what is in a loop',
      [
        change('one'),
        { id: 'each', verb: 'foreach', foreach: { list: [1] }, as: 'n', max_parallel: 1, steps: [change('late')] },
      ],
      'each/0/late',
    ],
    ['what is in a race', [change('one'), { id: 'race', verb: 'race', branches: [change('late')] }], 'race/late'],
    [
      'what comes after a step that may end the task',
      [
        change('one'),
        {
          id: 'stop',
          verb: 'switch',
          cases: [{ if: 'input.hot == false', steps: [{ id: 'end', verb: 'end', end: { output: null } }] }],
        },
        change('late'),
      ],
      'late',
    ],
  ])('%s', async (_, steps, late) => {
    const { result, approvals } = await fire(steps, { says: { one: [1, 'approve'], [late]: [3 * HOUR, 'approve'] } });
    expect(approvals).toEqual([
      ['one', 'approved', at, true],
      [late, 'approved', '', false],
    ]);
    expect(result.status).toBe('succeeded');
  });
});

describe('a firing that begins only when it is due', () => {
  test('is denied at once, and says that no one could be asked', async () => {
    const { result, error, message, approvals, now } = await fire(both, { begins: DUE });
    expect([result.status, error, approvals, now]).toEqual(['denied', 'approval.expired', [], 0]);
    expect(message).toContain('No one could be asked ahead');
  });

  test('is denied, too, if it was begun ahead and no worker was there', async () => {
    const { error } = await fire(both, { taken: DUE + 5 * 60_000 });
    expect(error).toBe('approval.expired');
  });

  test('runs, if nothing is known that asks', async () => {
    const { result } = await fire([{ id: 'a', verb: 'let', let: { x: 1 } }], { begins: DUE });
    expect(result.status).toBe('succeeded');
  });

  test.each([
    ['fired by hand', { due: DUE + 17_000, begins: DUE + 17_000 }],
    ['made up for long after its time', { begins: DUE + 2 * HOUR }],
    ['of a schedule that does not ask ahead', { begins: DUE, memo: {} }],
  ])('asks as it comes, if it is %s', async (_, given) => {
    const { result, approvals } = await fire(both, {
      ...given,
      says: { ask: [1, 'approve'], migrate: [HOUR, 'approve'] },
    });
    expect(result.status).toBe('succeeded');
    expect(approvals.map(([path, status, due]) => [path, status, due])).toEqual([
      ['ask', 'approved', ''],
      ['migrate', 'approved', ''],
    ]);
  });
});
