import { ApplicationFailure } from '@temporalio/activity';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { HookRun } from '../../../../src/activities/hooks/hook-context.js';
import { createHookPhase } from '../../../../src/activities/hooks/hook-phase.js';
import type { HookRequest } from '../../../../src/contracts/activities.js';
import type { EventContext, HookAnswer } from '../../../../src/contracts/hooks.js';
import type { PlanHook } from '../../../../src/contracts/plan.js';
import { AbilityError } from '../../../../src/contracts/problem.js';
import type { Seal } from '../../../../src/contracts/seal.js';
import type { SignedWord } from '../../../../src/contracts/session.js';
import { examplePlan } from '../../rules/example-plan.js';
import { admittedTask } from '../admitted-task.js';
import { hookDependencies } from './example-run.js';

const script = (id: string, more: Partial<PlanHook> = {}): PlanHook => ({
  id,
  ...more,
  handler: { kind: 'script', script: {} as never, timeout_ms: 1000 },
});
const usage: PlanHook = { id: 'usage', handler: { kind: 'builtin', name: 'usage', options: {} } };
const overSession: PlanHook = {
  id: 'over_session',
  handler: { kind: 'expression', deny_if: 'session.counts["db.write"] > 3', reason: 'Enough.' },
};

/** A plan with hooks of each kind around its task and around its call. */
function hookedPlan(pre: PlanHook[] = []) {
  const plan = examplePlan();
  const operation = plan.operations['db.write'];
  if (!operation) throw new Error('an operation is expected');
  return {
    ...plan,
    ability: {
      ...plan.ability,
      hooks: { pre_create: [], pre_call: [usage, script('task_pre'), ...pre], post_call: [usage, script('task_post')] },
    },
    operations: {
      'db.write': {
        ...operation,
        hooks: { pre_create: [], pre_call: [usage, script('pre'), ...pre], post_call: [usage, script('post')] },
      },
    },
  };
}

interface Phase {
  request?: Partial<HookRequest>;
  plan?: ReturnType<typeof hookedPlan> & { session_calls?: true; hooks?: 'activities' };
  seal?: Partial<Seal>;
  /** What scripts answer, by their id. */
  scriptAnswers?: Record<string, Partial<HookAnswer>>;
  session?: () => Promise<{ hooks: HookAnswer[] }>;
  mark?: string;
}

/** Runs the hooks of one phase around the call of `db.write`. */
async function phase({
  request = {},
  plan = hookedPlan(),
  seal = {},
  scriptAnswers = {},
  session,
  ...more
}: Phase = {}) {
  const task = admittedTask(plan, {}, seal);
  const events: EventContext[] = [];
  const runs: HookRun[] = [];
  const messages: [string, SignedWord][] = [];
  const used: object[] = [];
  const hooks = createHookPhase({
    ...hookDependencies({
      answerScript: async (id, _, event, run) => {
        events.push(event);
        runs.push(run);
        return { hook_id: id, phase: run.phase, path: run.path, status: 'ok', decision: 'allow', ...scriptAnswers[id] };
      },
      recordUsage: (line) => void used.push(line),
    }),
    root: '/nowhere',
    plans: task.plans,
    records: { logsOf: () => '/logs', sharedLog: () => undefined, settle: () => undefined } as never,
    project: plan.project,
    keys: { keys: new Map([['k', Buffer.alloc(32, 1)]]) },
    sessions: {
      notify: async (name: string, word: SignedWord) => {
        messages.push([name, word]);
        return (await session?.()) ?? { hooks: [] };
      },
    } as never,
  });
  const environment = task.environment();
  const defaults = {
    seal: task.mark,
    phase: 'PreAbilityCall',
    path: 'a',
    operation: 'db.write',
    input: { n: 1 },
  } as const;
  const given = (await environment.run(hooks, {
    ...defaults,
    ...(more.mark !== undefined && { seal: more.mark }),
    ...request,
  })) as HookAnswer[];
  return { answers: given.map(({ hook_id }) => hook_id), given, events, run: runs[0], messages, used };
}

test('an activity that no admitted task requested runs no hook', async () => {
  const failure = phase({ mark: 'other' });
  await expect(failure).rejects.toBeInstanceOf(ApplicationFailure);
  await expect(phase({ mark: 'other' })).rejects.toMatchObject({ type: 'seal.invalid', nonRetryable: true });
});

describe('the hooks of a phase', () => {
  test.each<[string, Partial<HookRequest>, string[]]>([
    ['before a call', {}, ['pre']],
    ['after a call', { phase: 'PostAbilityCall' }, ['post']],
    ['before a task, with those that are built in', { operation: null, path: '' }, ['usage', 'task_pre']],
    ['after a task', { operation: null, path: '', phase: 'PostAbilityCall' }, ['usage', 'task_post']],
  ])('%s run in order', async (_, request, ids) => {
    expect((await phase({ request })).answers).toEqual(ids);
  });

  test('before a call are also those that are built in, if the history shows hooks', async () => {
    const plan = { ...hookedPlan(), hooks: 'activities' } as const;
    expect((await phase({ plan })).answers).toEqual(['usage', 'pre']);
    expect((await phase({ plan, request: { phase: 'PostAbilityCall' } })).answers).toEqual(['post']);
  });

  test('around a call that the plan does not have are those of the task', async () => {
    expect((await phase({ request: { operation: 'gone' } })).answers).toEqual(['usage', 'task_pre']);
  });

  test('that do not block run only after a call', async () => {
    const plan = hookedPlan();
    plan.operations['db.write'].hooks.pre_call = [script('aside', { blocking: false })];
    plan.operations['db.write'].hooks.post_call = [script('aside', { blocking: false })];
    expect((await phase({ plan })).answers).toEqual([]);
    expect((await phase({ plan, request: { phase: 'PostAbilityCall' } })).answers).toEqual(['aside']);
  });

  test('see the call, its task and the moment of the request', async () => {
    const moment = Date.parse('2026-12-24T18:00:00Z');
    const { events, run } = await phase({ request: { moment }, seal: { scope: 'integration', caller: 'agent' } });
    expect(events[0]).toMatchObject({ task_id: 't-1', ability_id: 'db.write', payload: { n: 1 }, user_id: 'ada' });
    expect(run).toMatchObject({ moment, path: 'a', scope: 'integration', caller: 'agent', task: 't-1' });
    expect(run?.logs?.folder).toBe('/logs');
  });

  test('see how the call ended', async () => {
    const outcome = { status: 'failed', output: null, error: { code: 'mine', message: 'm' } };
    const { events } = await phase({ request: { phase: 'PostAbilityCall', outcome } });
    expect(events[0]?.payload).toEqual({ input: { n: 1 }, ...outcome });
  });

  test('see no scope, caller, outcome or trace if there is none', async () => {
    const { run } = await phase();
    expect(run).toMatchObject({ scope: undefined, caller: undefined });
    for (const key of ['outcome', 'trace']) expect(run).not.toHaveProperty(key);
  });

  test('leave no timer behind', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    await phase();
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('a call of a session whose guards inspect its calls', () => {
  const plan = { ...hookedPlan([overSession]), session_calls: true } as const;
  const seal = { session: 's-1' };
  const entered: HookAnswer = {
    hook_id: 'over_session',
    phase: 'PreAbilityCall',
    path: 'a',
    status: 'ok',
    decision: 'allow',
  };
  const session = async () => ({ hooks: [entered] });

  test('is entered after its other guards, by those that inspect the session', async () => {
    const { answers, messages } = await phase({ plan, seal, session, request: { call_id: 'c-7' } });
    expect(answers).toEqual(['pre', 'over_session']);
    const [[name, { word }] = ['', {} as SignedWord]] = messages;
    expect(name).toBe('s-1');
    expect(word).toMatchObject({
      kind: 'call',
      call: { id: 't-1 c-7', ability: 'db.write', input: { n: 1 } },
      guards: [{ id: 'over_session' }],
      path: 'a',
    });
  });

  test('is entered under the key of its task alone if the request has no id', async () => {
    const { messages } = await phase({ plan, seal, session });
    expect(messages[0]?.[1].word).toMatchObject({ call: { id: 't-1 ' } });
  });

  test('is not entered if another guard denies it', async () => {
    const scriptAnswers = { pre: { decision: 'deny' } } as const;
    const { answers, messages } = await phase({ plan, seal, session, scriptAnswers });
    expect([answers, messages]).toEqual([['pre'], []]);
  });

  test.each<[string, Phase]>([
    ['after a call', { request: { phase: 'PostAbilityCall' }, seal }],
    ['without a session', {}],
    ['if no guard of the project inspects sessions', { plan: hookedPlan(), seal }],
  ])('is not entered %s', async (_, more) => {
    expect((await phase({ plan, session, ...more })).messages).toEqual([]);
  });

  test('is not made if the session cannot be reached', async () => {
    const gone = () => Promise.reject(new AbilityError({ code: 'temporal.unavailable', message: 'm' }));
    await expect(phase({ plan, seal, session: gone })).rejects.toMatchObject({ code: 'temporal.unavailable' });
  });

  test('without a session is decided by all guards locally', async () => {
    expect((await phase({ plan })).answers).toEqual(['pre', 'over_session']);
  });
});
