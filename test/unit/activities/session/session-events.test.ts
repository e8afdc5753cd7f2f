import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import {
  createAskPrompt,
  createAskStart,
  createEndSession,
} from '../../../../src/activities/session/session-events.js';
import type { HookAnswer } from '../../../../src/contracts/hooks.js';
import type {
  AskPromptAnswer,
  AskPromptRequest,
  EndSessionAnswer,
  EndSessionRequest,
  SessionTask,
} from '../../../../src/contracts/session.js';
import { ATTRIBUTES } from '../../../../src/contracts/traces.js';
import { SCRIPT_FILE } from '../../temporary-project.js';
import { keepingTracer } from '../traced.js';
import { eventHooks, sessionWorld } from './session-world.js';

type Dependencies = Parameters<typeof createAskPrompt>[0];
type Answered = HookAnswer[] | null;

afterEach(() => {
  vi.useRealTimers();
});

const expression = (id: string, condition: string, more = '') =>
  `{ id: ${id}, ${more} handler: { expression: { deny_if: ${JSON.stringify(condition)}, reason: "No." } } }`;
const script = (id: string, more = '') => `{ id: ${id}, ${more} handler: { script: { path: scripts/any.mjs } } }`;
const BLOCKING = 'blocking: true,';
const TASK: SessionTask = { task_key: 't', ability_id: 'op', status: 'created', told: 0 };
const SEEN = { status: 'succeeded', isOpen: false, hooks: [], ability: 'op', calls: {}, children: [] };

/** Answers in place of scripts. @returns the payloads that they received. */
function answering(answer: Partial<HookAnswer> | Error = {}) {
  const payloads: unknown[] = [];
  const answerScript: Dependencies['answerScript'] = async (hook_id, _, event, { phase }) => {
    payloads.push(event.payload);
    if (answer instanceof Error) throw answer;
    return { hook_id, phase, path: '', status: 'ok', decision: 'allow', ...answer };
  };
  return { payloads, answerScript };
}

describe('the start of a session', () => {
  const start = (hooks: string[], more: Partial<Dependencies> = {}) => {
    const world = sessionWorld({ ...eventHooks('SessionStart', ...hooks), ...SCRIPT_FILE }, more);
    const { ask, askLocal } = createAskStart(world.dependencies);
    const { around, environment } = world;
    const run = (how: typeof ask | typeof askLocal): Promise<Answered> => environment().run(how, around);
    return { ...world, ask: () => run(ask) as Promise<HookAnswer[]>, askLocal: () => run(askLocal) };
  };

  test('is decided by the blocking hooks, with the number of sessions of the last day', async () => {
    const hooks = [expression('many', 'input.started_last_day > 2', BLOCKING), expression('idle', 'true')];
    const { ask, countStarts, around } = start(hooks);
    expect(await ask()).toMatchObject([{ hook_id: 'many', decision: 'deny', reason: 'No.' }]);
    expect(countStarts).toHaveBeenCalledWith('ada', around.moment - 24 * 3_600_000, 's-1');
  });

  test.each<[string, string[]]>([
    ['no hook runs', []],
    ['no hook reads their number', [expression('a', 'input.scope == "modules/other" || user.name == "x"', BLOCKING)]],
  ])('counts no sessions if %s', async (_, hooks) => {
    const { askLocal, countStarts } = start(hooks);
    expect(await askLocal()).toHaveLength(hooks.length);
    expect(countStarts).not.toHaveBeenCalled();
  });

  test.each<[string, string]>([
    ['an expression reads their number', expression('a', 'has(input.started_last_day)', BLOCKING)],
    ['an expression reads the whole payload', expression('a', 'size(input) > 9', BLOCKING)],
    ['a script runs', script('s', BLOCKING)],
  ])('counts the sessions if %s', async (_, hook) => {
    const { ask, countStarts } = start([hook], { answerScript: answering().answerScript });
    await ask();
    expect(countStarts).toHaveBeenCalledOnce();
  });

  test('fails if the definitions cannot be read', async () => {
    expect(await start(['{ id: broken }']).ask()).toMatchObject([{ hook_id: '*', status: 'error', decision: 'deny' }]);
  });

  test('fails if Temporal cannot count', async () => {
    const { ask, dependencies } = start([expression('a', 'input.started_last_day > 9', BLOCKING)]);
    dependencies.sessions = {
      ...dependencies.sessions,
      countStarts: () => Promise.reject(new Error('connection lost')),
    };
    expect(await ask()).toMatchObject([{ status: 'error', decision: 'deny', reason: /connection lost/ }]);
  });

  test.each<[string, string[], boolean]>([
    ['without hooks', [], true],
    ['by expressions', [expression('a', 'false', BLOCKING)], true],
    ['by hooks that cannot be read', ['{ id: broken }'], true],
    ['by a script', [script('s', BLOCKING)], false],
    ['by an expression and a script', [expression('a', 'false', BLOCKING), script('s', BLOCKING)], false],
  ])('%s: whether it is answered at once (%#)', async (_, hooks, atOnce) => {
    const { answerScript, payloads } = answering();
    expect((await start(hooks, { answerScript }).askLocal()) !== null).toBe(atOnce);
    expect(payloads).toEqual([]);
  });

  test('is answered only to a session of the project', async () => {
    const { dependencies, around, environment } = sessionWorld();
    const { ask, askLocal } = createAskStart(dependencies);
    for (const how of [ask, askLocal]) {
      const result = environment().run(how, { ...around, session_id: 's-2' });
      await expect(result).rejects.toMatchObject({ type: 'seal.invalid', nonRetryable: true });
    }
  });

  test('leaves no timer', async () => {
    vi.useFakeTimers();
    await start([]).ask();
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is a span if hooks run', async () => {
    const tracer = keepingTracer();
    await start([expression('a', 'false', BLOCKING)], { tracer }).ask();
    expect(tracer.spans.at(-1)).toMatchObject({
      name: 'event SessionStart',
      attributes: { [ATTRIBUTES.conversation]: 's-1', [ATTRIBUTES.hookPhase]: 'SessionStart' },
    });
  });
});

describe('a prompt', () => {
  const prompted = async (hooks: string[], more: Partial<Dependencies> = {}, of: Partial<AskPromptRequest> = {}) => {
    const world = sessionWorld({ ...eventHooks('PromptSubmit', ...hooks), ...SCRIPT_FILE }, more);
    const { around, environment, dependencies } = world;
    const request = { ...around, prompt: 'hello', turn_index: 2, guards: [], tasks: [], ...of };
    const answer: AskPromptAnswer = await environment().run(createAskPrompt(dependencies).ask, request);
    return { ...answer, root: world.root };
  };

  test('is passed to the blocking hooks, whatever the first of them decides', async () => {
    const { answerScript, payloads } = answering();
    const hooks = [expression('a', 'true', BLOCKING), script('s', BLOCKING), script('quiet')];
    const answer = await prompted(hooks, { answerScript });
    expect(answer.hooks.map(({ hook_id }) => hook_id)).toEqual(['a', 's']);
    expect(payloads).toEqual([{ prompt: 'hello', turn_index: 2, scope: 'modules/users' }]);
    expect(answer.turn_context).toMatchObject({
      session_id: 's-1',
      turn_index: 2,
      hook_signals: { risk_alerts: [/No\./] },
    });
  });

  test('receives the answers of the guards of its tasks, and of refused tasks', async () => {
    const deny = { hook_id: 'g', phase: 'PreAbilityCall', path: '', status: 'ok', decision: 'deny' } as const;
    const readTask = async () => ({ ...SEEN, hooks: [deny] });
    const sessions = { ...sessionWorld().dependencies.sessions, readTask };
    const refused = { ability_id: 'other', decision: 'deny', reason: 'No.', source: 'x' } as const;
    const { turn_context, tasks } = await prompted([], { sessions }, { tasks: [TASK], guards: [refused] });
    const guarded = turn_context.hook_signals.ability_guards.map(({ ability_id }) => ability_id);
    expect(guarded).toEqual(['other', 'op']);
    expect(tasks).toMatchObject([{ status: 'succeeded', settled: true }]);
  });

  test('writes unknown signals to the documents of its scope', async () => {
    const { answerScript } = answering({ hook_signals: { mood: 'calm' } });
    const { hooks, unknown_signals, root } = await prompted([script('s', BLOCKING)], { answerScript });
    const file = join(root, 'modules/users/workdocs/hook-signals.md');
    expect(existsSync(file) && readFileSync(file, 'utf8')).toContain('2030-01-01T00:00:00.000Z s-1 s');
    expect(unknown_signals).toMatchObject([{ name: 'mood', value: 'calm' }]);
    expect(hooks).toHaveLength(1);
  });

  test('continues with a failed answer if they cannot be written', async () => {
    const { answerScript } = answering({ hook_signals: { mood: 'calm' } });
    const world = sessionWorld(
      { ...eventHooks('PromptSubmit', script('s', BLOCKING)), ...SCRIPT_FILE },
      { answerScript },
    );
    mkdirSync(join(world.root, 'modules'));
    writeFileSync(join(world.root, 'modules/users'), '');
    const request = { ...world.around, prompt: 'hello', turn_index: 2, guards: [], tasks: [] };
    const { ask } = createAskPrompt(world.dependencies);
    const answer: AskPromptAnswer = await world.environment().run(ask, request);
    expect(answer.hooks).toMatchObject([{ hook_id: 's' }, { hook_id: '*', status: 'error', decision: 'allow' }]);
  });
});

describe('the end of a session', () => {
  const ended = async (hooks: string[], more: Partial<Dependencies> = {}): Promise<EndSessionAnswer> => {
    const world = sessionWorld({ ...eventHooks('SessionStop', ...hooks), ...SCRIPT_FILE }, more);
    const request: EndSessionRequest = { ...world.around, reason: 'idle', turns: 4, tasks: [TASK] };
    return world.environment().run(createEndSession(world.dependencies), request);
  };

  test('is passed to every hook, with the current state of its tasks', async () => {
    const { answerScript, payloads } = answering();
    const sessions = { ...sessionWorld().dependencies.sessions, readTask: async () => SEEN };
    const { hooks, tasks } = await ended([script('a', BLOCKING), script('b')], { answerScript, sessions });
    expect(hooks.map(({ hook_id }) => hook_id)).toEqual(['a', 'b']);
    expect(tasks).toMatchObject([{ task_key: 't', status: 'succeeded' }]);
    const listed = [{ task_key: 't', ability_id: 'op', status: 'succeeded' }];
    expect(payloads[0]).toEqual({ reason: 'idle', turns: 4, tasks: listed });
  });

  test('is not stopped by a hook that fails', async () => {
    const { answerScript } = answering(new Error('broken'));
    const sessions = { ...sessionWorld().dependencies.sessions, readTask: async () => null };
    const { hooks } = await ended([script('a')], { answerScript, sessions });
    expect(hooks).toMatchObject([{ status: 'error', decision: 'allow', reason: /broken/ }]);
  });
});
