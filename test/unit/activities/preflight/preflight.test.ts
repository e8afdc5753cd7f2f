import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Admission } from '../../../../src/activities/admission.js';
import { createPreflight } from '../../../../src/activities/preflight/preflight.js';
import { verifySeal } from '../../../../src/activities/seal.js';
import { ACTIVITY_LIMITS, PLACEMENTS, taskQueueOf } from '../../../../src/contracts/names.js';
import type { Seal } from '../../../../src/contracts/seal.js';
import type { Progress } from '../../../../src/contracts/task.js';
import { loadRegistry } from '../../../../src/definitions/load-registry.js';
import { digestOf } from '../../../../src/rules/canonical.js';
import { sealMark } from '../../../../src/rules/plans/plan-digest.js';
import { storeResult } from '../../../../src/rules/tasks/stored-result.js';
import { projectFile } from '../../../fixtures/project-folder.js';
import { activityEnvironment, KEYS, USER } from '../admitted-task.js';
import {
  type Asked,
  CREATED_AT,
  creationHooks,
  type Dependencies,
  endRecord,
  PINNED,
  preflightedProject,
  TOOL,
} from './preflighted-project.js';

afterEach(() => {
  vi.useRealTimers();
});

const GENERATED = `t-${'0'.repeat(26)}`;
const DIRECT = 'direct:0b0a8bd4-58a6-4a63-8d8e-6f2c7a3f2a11';
const OTHER = 'f'.repeat(64);
const EXPRESSION =
  '{ id: g, blocking: true, match: { abilities: [flow] }, handler: { expression: { deny_if: "input.n == 0", reason: "No." } } }';
const SCRIPT_HOOK = '{ id: g, blocking: true, handler: { script: { path: scripts/any.mjs } } }';

describe('the answer of a preflight', () => {
  test('has the plan, the input with defaults, a seal over both, and there is a record', async () => {
    const { preflight, records } = preflightedProject();
    const { plan, input, seal } = await preflight({ input: { text: 'a' } });
    expect([plan.ability.id, input]).toEqual(['flow', { n: 1, text: 'a' }]);
    verifySeal(seal, { task: 't-1' }, KEYS);
    expect(seal).toMatchObject({ plan: digestOf(plan), input: digestOf(input), user: USER });
    expect(records.read('t-1')).toMatchObject({
      input,
      host: 'here',
      run_id: 'r-1',
      created_at: CREATED_AT,
      result: null,
      plan_digest: seal.plan,
    });
    expect(records.read('t-1')).not.toHaveProperty('expires_at');
  });

  test('has no members for what there is not, and the plan last', async () => {
    const answer = await preflightedProject().askLocal({ input: { n: 2 } });
    expect(Object.keys(answer)).toEqual(['seal', 'plan']);
    expect(answer).toMatchObject({ seal: { key_id: 'k', mac: expect.any(String) } });
    expect(Object.keys((answer as { seal: object }).seal)).toEqual(['key_id', 'mac']);
  });

  test('has all that there is, and the plan last', async () => {
    const files = creationHooks('{ id: g, blocking: true, handler: { expression: { warn_if: "true", reason: "w" } } }');
    const answer = await preflightedProject(files).askLocal();
    expect(Object.keys(answer)).toEqual(['input', 'hooks', 'warnings', 'seal', 'plan']);
    expect(answer).toMatchObject({ input: { n: 1 }, warnings: ['w'] });
  });

  test('has the plan as it is packed for the history', async () => {
    const packPlan = vi.fn<Dependencies['packPlan']>(() => ({ $deflated: 'packed' }));
    const { askLocal, plan } = preflightedProject({}, { packPlan });
    expect(await askLocal()).toMatchObject({ plan: { $deflated: 'packed' } });
    expect(packPlan).toHaveBeenCalledExactlyOnceWith(plan(), digestOf(plan()));
  });

  test('has nobody known as the requester if the start names none', async () => {
    const { preflight, records } = preflightedProject();
    const { seal } = await preflight({ user: undefined as never });
    expect(seal).toMatchObject({ user: { name: 'unknown', source: 'claimed' } });
    expect(seal).not.toHaveProperty('caller');
    expect(records.read('t-1')).toMatchObject({ requested_by: { name: 'unknown', source: 'claimed' } });
  });

  test.each<[string, Partial<Asked>, Partial<Seal>]>([
    [
      'its session, which is also its caller',
      { session: 's-1', caller: 'person' },
      { session: 's-1', caller: 'session' },
    ],
    ['its scope', { scope: 'modules/users' }, { scope: 'modules/users' }],
    ['its caller', { caller: 'ci' }, { caller: 'ci' }],
    ['its intent', { intent: 'to try' }, { intent: 'to try' }],
    ['an empty intent', { intent: '' }, { intent: '' }],
    ['its run', { run: 'run-1' }, { run: 'run-1' }],
  ])('seals from a start %s', async (_, of, sealed) => {
    const { preflight, records } = preflightedProject();
    const { seal } = await preflight(of);
    expect(seal).toMatchObject(sealed);
    verifySeal(seal, { task: 't-1' }, KEYS);
    expect(records.read('t-1')).toMatchObject(sealed);
  });

  test('does not seal a caller that a client may not claim to be', async () => {
    expect((await preflightedProject().preflight({ caller: 'child' })).seal).not.toHaveProperty('caller');
  });

  test('has each warning once', async () => {
    const { preflight } = preflightedProject({}, { scripts: { keep: async () => 'not kept' } as never });
    expect((await preflight()).warnings).toEqual(['not kept']);
  });

  test('warns if the definitions of the requester are others, of which it has the beginning of the digest', async () => {
    const { preflight, root } = preflightedProject();
    const { digest } = loadRegistry(root);
    expect((await preflight({ definitions: digest.slice(0, 12) })).warnings).toEqual([]);
    const { warnings } = await preflight({ task: 't-2', definitions: OTHER.slice(0, 12) });
    expect(warnings).toEqual([expect.stringContaining('definitions of the worker differ')]);
  });

  test('gives the plan to the worker, which then reads no run to find it', async () => {
    const readRun = vi.fn(async () => undefined);
    const { preflight, dependencies, project } = preflightedProject();
    const chains = { has: async () => false, keep: async () => {} };
    dependencies.plans = new Admission(project, KEYS, readRun, chains, () => PLACEMENTS);
    const { seal, plan } = await preflight();
    const taskQueue = taskQueueOf(project, 'dev', 'local');
    const run = { workflowId: 't-1', runId: 'r-1' };
    dependencies.plans.runs.note({ ...run, type: 'flow', taskQueue, task: { seal, user: USER, session: null } });
    const admitted = await dependencies.plans.admit(sealMark(seal), { workflowExecution: run, taskQueue });
    expect(admitted.plan).toEqual(plan);
    expect(readRun).not.toHaveBeenCalled();
  });
});

describe('hooks before creation', () => {
  const shown = { 'ability.yaml': projectFile(undefined, 'policy: { hooks: activities }\n') };

  test.each<[string, Record<string, string>]>([
    ['that are expressions', creationHooks(EXPRESSION)],
    [
      'that are built in',
      creationHooks('{ id: g, handler: { builtin: { name: environment_scope, options: { allow: [dev] } } } }'),
    ],
    ['of which there are none, even if the history shows hooks', shown],
  ])('%s are answered in the first act of the task', async (_, files) => {
    expect(await preflightedProject(files).askLocal()).toHaveProperty('seal');
  });

  test.each<[string, Record<string, string>]>([
    ['that are scripts', creationHooks(EXPRESSION, SCRIPT_HOOK.replace('id: g', 'id: h'))],
    [
      'of a single operation that are scripts',
      creationHooks(SCRIPT_HOOK.replace('blocking: true', 'blocking: true, match: { abilities: [op] }')),
    ],
    ['that are abilities', creationHooks('{ id: g, blocking: true, handler: { ability: op } }')],
    ['that are expressions, if the history shows hooks', { ...shown, ...creationHooks(EXPRESSION) }],
  ])('%s need an activity of their own, and nothing is done before it', async (_, files) => {
    const pin = vi.fn();
    const { askLocal, records, notify } = preflightedProject(files, { tools: { pin } });
    expect(await askLocal({ session: 's-1' })).toEqual({ dedicated: true });
    expect([pin.mock.calls, notify.mock.calls, records.read('t-1')]).toEqual([[], [], undefined]);
  });

  test('are answered in that activity, which forms the task', async () => {
    const { preflight, records } = preflightedProject(creationHooks(SCRIPT_HOOK), {
      answerScript: async (hook_id, _, __, { phase, path }) => ({
        ...{ hook_id, phase, path, status: 'ok', decision: 'allow' },
      }),
    });
    const { hooks, seal, input } = await preflight({ input: { text: 'a' }, intent: 'weekly' });
    expect(hooks).toMatchObject([
      { hook_id: 'g', path: '' },
      { hook_id: 'g', path: 'op' },
    ]);
    verifySeal(seal, { task: 't-1' }, KEYS);
    expect(records.read('t-1')).toMatchObject({ input, intent: 'weekly', run_id: 'r-1' });
  });
});

describe('a refused start', () => {
  test.each<[string, string, Partial<Asked>]>([
    ['with a scope that leads out of the project', 'usage.invalid', { scope: '../other' }],
    ['with a run that is a path', 'usage.invalid', { run: 'a/b' }],
    ['with an input that its schema does not allow', 'input.invalid', { input: { n: 'one' } }],
    ['of an ability that does not exist', 'ability.not_found', { ability: 'none' }],
    ['in an environment that does not exist', 'environment.not_found', { environment: 'none' }],
    ['that insists on other definitions', 'config.registry_differs', { registry: OTHER }],
  ])('%s leaves no record', async (_, type, of) => {
    const { askLocal, records } = preflightedProject();
    await expect(askLocal(of)).rejects.toMatchObject({ type, nonRetryable: true });
    expect(records.read('t-1')).toBeUndefined();
  });

  test('says where it was refused, which whoever started it need not have said', async () => {
    const { askLocal, project } = preflightedProject();
    const refused_in = { project, environment: 'dev' };
    await expect(askLocal({ ability: 'none' })).rejects.toMatchObject({ details: [{}, { refused_in }] });
    const elsewhere = askLocal({}, { taskQueue: 'other' });
    await expect(elsewhere).rejects.toMatchObject({ details: [{}, { refused_in: { project } }] });
    await expect(elsewhere).rejects.not.toHaveProperty('details.1.refused_in.environment');
  });

  test('says so even while `ability.yaml` is broken, which is then the refusal', async () => {
    const { askLocal, project, root } = preflightedProject();
    writeFileSync(join(root, 'ability.yaml'), 'format: 9\n');
    await expect(askLocal()).rejects.toMatchObject({
      type: expect.stringMatching(/^definition\./),
      details: [{}, { refused_in: { project } }],
    });
  });

  test('in the activity for hooks says so too', async () => {
    const { askDedicated, dependencies, project } = preflightedProject();
    dependencies.readGiven = async () => undefined;
    await expect(askDedicated()).rejects.toMatchObject({
      type: 'seal.invalid',
      details: [{}, { refused_in: { project, environment: 'dev' } }],
    });
  });
});

describe('while it runs', () => {
  const beatsOf = async (part: 'local' | 'dedicated', isLocal: boolean) => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    const pin: Dependencies['tools']['pin'] = async (plan) => {
      vi.advanceTimersByTime(ACTIVITY_LIMITS.heartbeat);
      return { plan, warnings: [] };
    };
    const { dependencies, project } = preflightedProject({}, { tools: { pin } });
    const run = { workflowId: 't-1', runId: 'r-1' };
    const taskQueue = taskQueueOf(project, 'dev', 'local');
    const request = { input: {}, options: {}, first: 'r-1', created_at: CREATED_AT };
    dependencies.readGiven = async () => request;
    dependencies.plans.runs.note({ ...run, type: 'flow', taskQueue, task: {} as never });
    const environment = activityEnvironment({ isLocal, workflowType: 'flow', workflowExecution: run, taskQueue });
    const beats: unknown[] = [];
    environment.on('heartbeat', (details) => beats.push(details));
    await environment.run(createPreflight(dependencies)[part] as never, request);
    return beats.length;
  };

  test('the activity for hooks sends heartbeats', async () => {
    expect(await beatsOf('dedicated', false)).toBeGreaterThan(1);
  });

  test('the first act of a task sends none', async () => {
    expect(await beatsOf('local', true)).toBe(0);
  });
});

describe('a start for a specific plan', () => {
  const planned = async (files: Record<string, string>, more = {}) => {
    const first = preflightedProject(files, more);
    const { seal } = await first.preflight();
    return { ...first, seal };
  };

  test('is accepted with the digest of the plan and that of the input', async () => {
    const { preflight, seal } = await planned({});
    await expect(preflight({ task: 't-2', plan: { plan: seal.plan, input: seal.input } })).resolves.toHaveProperty(
      'seal',
    );
  });

  test('is refused with another input', async () => {
    const { preflight, seal } = await planned({});
    const plan = { plan: seal.plan, input: OTHER };
    await expect(preflight({ task: 't-2', plan })).rejects.toMatchObject({ type: 'plan.changed' });
  });

  test('is refused with another plan before any tool is inspected', async () => {
    const pin = vi.fn();
    const { preflight } = preflightedProject({}, { tools: { pin } });
    await expect(preflight({ plan: { plan: OTHER } })).rejects.toMatchObject({ type: 'plan.changed' });
    expect(pin).not.toHaveBeenCalled();
  });

  test('is accepted with the digest of the plan whose tools are pinned', async () => {
    const { preflight, seal } = await planned(TOOL, PINNED);
    await expect(preflight({ task: 't-2', plan: { plan: seal.plan } })).resolves.toMatchObject({
      seal: { plan: seal.plan },
    });
  });

  test('is refused if tools are pinned differently', async () => {
    const { preflight, records } = preflightedProject(TOOL, PINNED);
    await expect(preflight({ plan: { plan: OTHER } })).rejects.toMatchObject({ type: 'plan.changed' });
    expect(records.read('t-1')).toBeUndefined();
  });
});

describe('a key', () => {
  test('of a task that has ended, and which Temporal has forgotten, is answered with its result', async () => {
    const shrink = vi.fn<Dependencies['shrink']>(async (result) => ({ ...result, output: { shrunk: true } }));
    const pin = vi.fn<Dependencies['tools']['pin']>(async (plan) => ({ plan, warnings: [] }));
    const { preflight, askLocal, records } = preflightedProject({}, { shrink, tools: { pin } });
    await preflight();
    const result = endRecord(records, 't-1');
    expect(await askLocal({ first: 'r-2' })).toEqual({
      ended: storeResult({ ...result, output: { shrunk: true } }),
    });
    expect(shrink).toHaveBeenCalledWith(result);
    expect(pin).toHaveBeenCalledOnce();
  });

  test('of another request is refused, and its record stays', async () => {
    const { preflight, askLocal, records } = preflightedProject();
    await preflight();
    const refused = askLocal({ first: 'r-2', input: { n: 2 } });
    await expect(refused).rejects.toMatchObject({ type: 'task.key_conflict' });
    expect(records.read('t-1')).toMatchObject({ input: { n: 1 }, run_id: 'r-1' });
  });

  test('whose record was made by an attempt of the same run that was lost gets another record', async () => {
    const { preflight, records } = preflightedProject();
    await preflight();
    await preflight({ intent: 'once more' });
    expect(records.read('t-1')).toMatchObject({ intent: 'once more', run_id: 'r-1' });
  });

  test('has no record of a lost attempt any more if the definitions refuse the next one', async () => {
    const { preflight, root, records } = preflightedProject({ 'registry/hooks/PreAbilityCreate.yaml': 'hooks: []\n' });
    await preflight();
    for (const [name, text] of Object.entries(creationHooks(EXPRESSION.replace('== 0', '== 1')))) {
      writeFileSync(join(root, name), text);
    }
    await expect(preflight()).rejects.toMatchObject({ type: 'guard.denied' });
    expect(records.read('t-1')).toBeUndefined();
  });

  test.each<[string, (project: ReturnType<typeof preflightedProject>) => unknown, string]>([
    ['of another run', ({ preflight }) => preflight({ first: 'r-2' }), 'a moment before'],
    [
      'that is not readable',
      ({ root }) => mkdirSync(join(root, 'records', 't-1'), { recursive: true }),
      'contains no readable record',
    ],
  ])('that gets a record %s meanwhile is refused', async (_, leave, message) => {
    const project = preflightedProject();
    const { pin } = project.dependencies.tools;
    project.dependencies.tools = {
      pin: async (plan) => {
        project.dependencies.tools = { pin };
        await leave(project);
        return { plan, warnings: [] };
      },
    };
    const refused = project.preflight();
    await expect(refused).rejects.toMatchObject({ type: 'task.key_conflict' });
    await expect(refused).rejects.toThrow(message);
  });
});

describe('a direct run', () => {
  const direct = { task: DIRECT };

  test('has no record', async () => {
    const { preflight, records } = preflightedProject();
    expect((await preflight(direct)).seal.task).toBe(DIRECT);
    expect(records.read(DIRECT)).toBeUndefined();
  });

  test('has one that expires if the policy retains them', async () => {
    vi.useFakeTimers({ now: Date.UTC(2030, 0, 1), toFake: ['Date'] });
    const { preflight, records } = preflightedProject({
      'ability.yaml': projectFile(undefined, 'policy: { direct_records: { keep: 2h } }\n'),
    });
    await preflight(direct);
    expect(records.read(DIRECT)).toMatchObject({ expires_at: '2030-01-01T02:00:00.000Z' });
  });
});

describe('a retry', () => {
  const RUN = { workflowId: 'early', runId: 'r-0' };
  const DONE: Progress = { first: { status: 'succeeded', output: { a: 1 } }, second: { status: 'failed' } } as never;
  const file = { step: 'first', file: { $file: 'a'.repeat(64), name: 'a.txt', bytes: 1 } };

  /** A project with the task `early`. @param sealed whether that task passed preflight. */
  async function retried(from: string | null, { sealed = true, files = [] as object[] } = {}) {
    const first = preflightedProject();
    const { plan, seal } = await first.preflight({ task: 'early' });
    const task = { seal: sealed ? seal : { ...seal, mac: 'ab' }, user: USER, session: null, plan };
    const taskQueue = taskQueueOf(first.project, 'dev', 'local');
    const chains = { has: async () => false, keep: async () => {} };
    const start = { ...RUN, type: 'flow', taskQueue, task };
    first.dependencies.plans = new Admission(
      first.project,
      KEYS,
      async () => start,
      chains,
      () => PLACEMENTS,
    );
    const ended = { plan, progress: DONE, run: RUN, ...(files.length > 0 && { files }) };
    first.dependencies.readEnded = vi.fn(async () => ended as never);
    return { ...first, answer: () => first.preflight({ retry: { task: 'early', from } }) };
  }

  test('takes over what the earlier task has done, under its seal', async () => {
    const { answer, dependencies, project } = await retried(null);
    const { progress, seal } = await answer();
    expect(progress).toEqual({ first: DONE.first });
    expect(seal).toMatchObject({ progress: digestOf(progress as Progress) });
    verifySeal(seal, { task: 't-1' }, KEYS);
    expect(dependencies.readEnded).toHaveBeenCalledWith('early', project);
  });

  test('takes over nothing from the named step on', async () => {
    const { answer } = await retried('first');
    expect((await answer()).progress).toEqual({});
  });

  test('is refused from an unknown step, and a similar one is suggested', async () => {
    const { answer } = await retried('frist');
    await expect(answer()).rejects.toMatchObject({
      type: 'usage.invalid',
      details: [{ suggestion: expect.stringContaining('first') }, {}],
    });
  });

  test('is refused for a task that passed no preflight', async () => {
    const { answer } = await retried(null, { sealed: false });
    await expect(answer()).rejects.toMatchObject({ type: 'seal.invalid' });
  });

  test('holds the files of the steps that it takes over', async () => {
    const { answer, store } = await retried(null, { files: [file] });
    expect((await answer()).progress).toMatchObject({ first: { made: [file] } });
    expect(store.held).toEqual([['t-1', file.file.$file]]);
  });
});

describe('the session of a task', () => {
  const DENY = creationHooks(
    '{ id: no, blocking: true, match: { abilities: [flow] }, handler: { expression: { deny_if: "input.n == 0", confirm_if: "input.n > 1", reason: "Because." } } }',
  );

  const outcomeOf = async (of: Asked) => {
    const { preflight, notify } = preflightedProject(DENY);
    const refused = await preflight({ task: GENERATED, session: 's-1', ...of }).then(
      () => undefined,
      ({ type }: { type: string }) => type,
    );
    return { refused, messages: notify.mock.calls.map(([, { word }]) => word) };
  };

  test('is notified of the task before it exists', async () => {
    const { messages } = await outcomeOf({});
    expect(messages).toEqual([{ kind: 'task', task_key: GENERATED, ability_id: 'flow' }]);
  });

  test('is notified of the confirmations that its guards require', async () => {
    const { messages } = await outcomeOf({ input: { n: 2 } });
    expect(messages[1]).toMatchObject({ kind: 'guards', refused: false, guards: [{ decision: 'need_user_confirm' }] });
  });

  test('is notified that a guard refused it', async () => {
    const { messages, refused } = await outcomeOf({ input: { n: 0 } });
    expect(refused).toBe('guard.denied');
    expect(messages[1]).toMatchObject({ kind: 'guards', refused: true, guards: [{ decision: 'deny' }] });
  });

  test('is not notified if the task has none', async () => {
    expect((await outcomeOf({ session: undefined as never, input: { n: 2 } })).messages).toEqual([]);
  });
});
