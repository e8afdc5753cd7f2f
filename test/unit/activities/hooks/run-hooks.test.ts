import { describe, expect, test } from 'vitest';
import type { SessionContext, TaskContext } from '../../../../src/activities/hooks/hook-context.js';
import type { HookDependencies } from '../../../../src/activities/hooks/hook-dependencies.js';
import { readHookResult } from '../../../../src/activities/hooks/read-hook-result.js';
import { runHooks } from '../../../../src/activities/hooks/run-hooks.js';
import type { EventContext, HookResult, Phase } from '../../../../src/contracts/hooks.js';
import type { PlanHook } from '../../../../src/contracts/plan.js';
import { secretsHere } from '../../../fixtures/secrets-here.js';
import { examplePlan } from '../../rules/example-plan.js';
import { traced } from '../traced.js';

const around = {
  user: { name: 'ada', source: 'claimed' },
  path: '',
  caller: undefined,
  moment: Date.parse('2026-12-24T18:00:00Z'),
  signal: new AbortController().signal,
  logs: undefined,
} as const;
const ofTask = (hooks: PlanHook[]): TaskContext => ({
  ...around,
  ...{
    plan: examplePlan(),
    operation: undefined,
    input: { n: 1 },
    task: 't-1',
    session: null,
    scope: undefined,
    planDigest: null,
    hooks,
  },
});
const ofSession = (hooks: PlanHook[]): SessionContext => ({
  ...around,
  session: 's-1',
  payload: { prompt: 'restart the service', turn_index: 3 },
  environment: { name: 'dev', protected: false, vars: { region: 'eu' } },
  module: 'ops',
  hooks,
});

/** Scripts that print these answers; `received` collects the events that they receive. */
function scripts(answers: Record<string, HookResult | Error>): HookDependencies & { received: EventContext[] } {
  const received: EventContext[] = [];
  return {
    received,
    answerScript: async (id, _, event, { phase, path }) => {
      received.push(event);
      const answer = answers[id];
      if (answer instanceof Error) throw answer;
      return readHookResult(id, answer, { phase, path, ability: event.ability_id });
    },
    answerAbility: () => Promise.reject(new Error('no ability is expected to answer here')),
    secrets: (environment) => secretsHere('/nowhere', environment, {}),
    recordUsage: () => {},
  };
}
const script = (id: string, more: Partial<PlanHook> = {}): PlanHook => {
  const profile = { interpreter: [], args: [], env: { pass: [], set: {}, secrets: {} } } as never;
  return { id, ...more, handler: { kind: 'script', script: profile, timeout_ms: 1000 } };
};
const expression = (id: string, condition: object): PlanHook => ({
  id,
  handler: { kind: 'expression', reason: 'Because.', ...condition },
});
const all = { blockingOnly: false };

test.each<[Phase, string[]]>([
  ['PreAbilityCreate', ['first']],
  ['PreAbilityCall', ['first']],
  ['PromptSubmit', ['first', 'second']],
])(
  'R-002-19, R-002-22: hooks of %s run in order; the first deny ends them only before a task or a call',
  async (phase, ids) => {
    const hooks = [expression('first', { deny_if: 'true' }), expression('second', { warn_if: 'true' })];
    const context = phase === 'PromptSubmit' ? ofSession(hooks) : ofTask(hooks);
    const answers = await runHooks(phase, context, { blockingOnly: true }, scripts({}));
    expect(answers.map(({ hook_id }) => hook_id)).toEqual(ids);
    expect(answers[0]).toMatchObject({ decision: 'deny', reason: 'Because.' });
  },
);

test('R-002-21, R-002-24: non-blocking hooks of a session are skipped if only blocking ones are requested', async () => {
  const hooks = [script('aside', { blocking: false }), script('blocking')];
  const ask = async (blockingOnly: boolean) =>
    (await runHooks('PromptSubmit', ofSession(hooks), { blockingOnly }, scripts({ aside: {}, blocking: {} }))).map(
      ({ hook_id }) => hook_id,
    );
  expect(await ask(true)).toEqual(['blocking']);
  expect(await ask(false)).toEqual(['aside', 'blocking']);
});

describe('the caller', () => {
  const hooks = [script('for_agents', { callers: ['agent'] }), script('for_all')];
  const answers = { for_agents: { guard_decision: 'allow' }, for_all: { guard_decision: 'allow' } } as const;
  const idsFor = async (caller: TaskContext['caller']) => {
    const context = { ...ofTask(hooks), ...(caller && { caller }) };
    return (await runHooks('PreAbilityCall', context, all, scripts(answers))).map(({ hook_id }) => hook_id);
  };

  test('a hook fires only for its callers', async () => {
    expect(await idsFor('agent')).toEqual(['for_agents', 'for_all']);
    expect(await idsFor('person')).toEqual(['for_all']);
  });

  test('every guard fires if the caller is unknown', async () => {
    expect(await idsFor(undefined)).toEqual(['for_agents', 'for_all']);
  });
});

test('R-002-23: an error is an answer: it denies before a call, and does nothing elsewhere', async () => {
  const hooks = [script('g')];
  const broken = scripts({ g: new Error('it is gone') });
  const [call] = await runHooks('PreAbilityCall', ofTask(hooks), all, broken);
  const [prompt] = await runHooks('PromptSubmit', ofSession(hooks), all, broken);
  expect(call).toMatchObject({ status: 'error', decision: 'deny', reason: 'it is gone' });
  expect(prompt).toMatchObject({ status: 'error', decision: 'allow', reason: 'it is gone' });
});

test('R-002-17: a script of a session reads the event, which names no ability', async () => {
  const silent = scripts({ s: {} });
  await runHooks('PromptSubmit', ofSession([script('s')]), all, silent);
  expect(silent.received).toEqual([
    {
      event_type: 'PromptSubmit',
      session_id: 's-1',
      task_id: null,
      ability_id: null,
      module_id: 'ops',
      user_id: 'ada',
      payload: { prompt: 'restart the service', turn_index: 3 },
      environment: { name: 'dev', protected: false, vars: { region: 'eu' } },
      effects: null,
      tags: [],
      plan_digest: null,
    },
  ]);
});

test.each([
  'input.prompt.startsWith("restart") && input.turn_index == 3',
  'session.id == "s-1" && user.name == "ada"',
  'environment.name == "dev" && environment.vars.region == "eu"',
  'ability == null && task == null && outcome == null && effects == null',
  'now() == timestamp("2026-12-24T18:00:00Z")',
])('an expression of a session sees the payload as input: %s', async (warn_if) => {
  const [answer] = await runHooks('PromptSubmit', ofSession([expression('e', { warn_if })]), all, scripts({}));
  expect(answer).toMatchObject({ status: 'ok', warnings: ['Because.'] });
});

test('R-000-57, C-11: what a hook of a prompt signals is retained for the AI, and silence is no error', async () => {
  const signals = { routing_hints: [{ hint: 'ops.restart' }] };
  const dependencies = scripts({
    hints: { hook_signals: signals },
    silent: {},
    refuses: { guard_decision: 'deny', reason: 'no' },
  });
  const hooks = [script('refuses'), script('silent'), script('hints')];
  const answers = await runHooks('PromptSubmit', ofSession(hooks), { blockingOnly: true }, dependencies);
  expect(answers).toMatchObject([
    { hook_id: 'refuses', status: 'ok', decision: 'deny', reason: 'no' },
    { hook_id: 'silent', status: 'ok', decision: 'allow' },
    { hook_id: 'hints', status: 'ok', decision: 'allow', hook_signals: signals },
  ]);
});

test('R-002-25, R-002-26: at the end of a session nothing is decided, and signals are dropped', async () => {
  const dependencies = scripts({ s: { guard_decision: 'deny', hook_signals: { risk_alerts: ['x'] } } });
  const [answer] = await runHooks('SessionStop', ofSession([script('s')]), all, dependencies);
  expect(answer?.decision).toBe('allow');
  expect(answer?.hook_signals).toBeUndefined();
  expect(answer?.warnings).toHaveLength(2);
});

test('the answer of a script has its duration, and that of an expression has none', async () => {
  const hooks = [expression('e', { warn_if: 'true' }), script('s')];
  const dependencies = scripts({ s: { guard_decision: 'allow' } });
  const [first, second] = await runHooks('PreAbilityCall', ofTask(hooks), all, dependencies);
  expect(first).not.toHaveProperty('duration_ms');
  expect(second?.duration_ms).toBeGreaterThanOrEqual(0);
  expect(second?.duration_ms).toBeLessThan(performance.now());
});

describe('the trace of a hook', () => {
  const spansOf = async (result: HookResult | Error) => {
    const run = () => runHooks('PreAbilityCall', ofTask([script('s')]), all, scripts({ s: result }));
    return (await traced(run)).inner;
  };

  test('has its decision', async () => {
    const [span] = await spansOf({ guard_decision: 'deny' });
    expect(span).toMatchObject({ name: 'hook s', attributes: { 'ability.hook.decision': 'deny' } });
    expect(span?.error).toBeUndefined();
  });

  test('ends with an error if the hook failed', async () => {
    const [span] = await spansOf(new Error('it is gone'));
    expect(span?.error).toBe('hook.failed');
  });
});

test.each<[Phase, TaskContext | SessionContext, string]>([
  ['PostAbilityCall', ofTask([script('s')]), 'gave hook_signals after the call'],
  ['SessionStop', ofSession([script('s')]), 'gave hook_signals at the end of the session'],
])('R-002-26: signals of %s are dropped with a warning', async (phase, context, warning) => {
  const [answer] = await runHooks(phase, context, all, scripts({ s: { hook_signals: { risk_alerts: ['x'] } } }));
  expect(answer?.hook_signals).toBeUndefined();
  expect(answer?.warnings?.join()).toContain(warning);
});
