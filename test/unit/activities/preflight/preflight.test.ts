import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Admission } from '../../../../src/activities/admission.js';
import { createPreflight } from '../../../../src/activities/preflight/preflight.js';
import { verifySeal } from '../../../../src/activities/seal.js';
import { ACTIVITY_LIMITS, preflightIdOf, taskQueueOf, WORKFLOWS } from '../../../../src/contracts/names.js';
import type { Seal } from '../../../../src/contracts/seal.js';
import type { PreflightAnswer, Progress, TaskRequest } from '../../../../src/contracts/task.js';
import { digestOf } from '../../../../src/rules/canonical.js';
import { sealMark } from '../../../../src/rules/plans/seal-mark.js';
import { projectFile } from '../../../fixtures/project-folder.js';
import { type ActivityInfo, activityEnvironment, KEYS, USER } from '../admitted-task.js';
import { creationHooks, endRecord, PINNED, preflightedProject, TOOL } from './preflighted-project.js';

afterEach(() => {
  vi.useRealTimers();
});

const GENERATED = `t-${'0'.repeat(26)}`;
const OTHER = 'f'.repeat(64);

describe('the answer of a preflight', () => {
  test('has the plan, the input with defaults, a seal over both, and the folder of the new record', async () => {
    const { preflight, records, request } = preflightedProject();
    const answer = await preflight({ input: { text: 'a' } });
    const input = { n: 1, text: 'a' };
    expect(answer).toMatchObject({ plan: { ability: { id: 'flow' } }, input, record: records.pathOf('t-1') });
    expect(answer.request).toBe(digestOf(request({ input: { text: 'a' } })));
    verifySeal(answer.seal as Seal, { task: 't-1' }, KEYS);
    expect(answer.seal).toMatchObject({ plan: digestOf(answer.plan), input: digestOf(input), user: USER });
    expect(records.read('t-1')).toMatchObject({
      input,
      host: 'here',
      result: null,
      plan_digest: digestOf(answer.plan),
    });
    expect(records.read('t-1')).not.toHaveProperty('expires_at');
  });

  test('omits what the request does not have', async () => {
    const { seal, ...answer } = await preflightedProject().preflight();
    expect(Object.keys(seal as Seal).sort()).toEqual(
      ['confirmations', 'input', 'key_id', 'mac', 'plan', 'task', 'user'].sort(),
    );
    expect(answer).not.toHaveProperty('progress');
    expect(answer).not.toHaveProperty('ended');
  });

  test.each<[string, Partial<TaskRequest>, Partial<Seal>]>([
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
  ])('seals from a request %s', async (_, of, sealed) => {
    const { preflight, records } = preflightedProject();
    const { seal } = await preflight(of);
    expect(seal).toMatchObject(sealed);
    expect(records.read('t-1')).toMatchObject(sealed);
  });

  test('does not seal a caller that a client may not claim to be', async () => {
    expect((await preflightedProject().preflight({ caller: 'child' })).seal).not.toHaveProperty('caller');
  });

  test('has each warning once', async () => {
    const { preflight } = preflightedProject({}, { scripts: { keep: async () => 'not kept' } as never });
    expect((await preflight()).warnings).toEqual(['not kept']);
  });

  test('gives the plan to the worker, which then reads no run to find it', async () => {
    const readRun = vi.fn(async () => undefined);
    const { preflight, dependencies, project } = preflightedProject();
    const chains = { has: async () => false, keep: async () => {} };
    dependencies.plans = new Admission(project, KEYS, readRun, chains);
    const { seal, plan } = await preflight();
    const taskQueue = taskQueueOf(project, 'dev', 'local');
    const run = { workflowId: 't-1', runId: 'r-1' };
    dependencies.plans.runs.note({
      ...run,
      type: 'flow',
      taskQueue,
      task: { seal: seal as Seal, user: USER, session: null },
    });
    expect((await dependencies.plans.admit(sealMark(seal as Seal), { workflowExecution: run, taskQueue })).plan).toBe(
      plan,
    );
    expect(readRun).not.toHaveBeenCalled();
  });
});

describe('a preflight may be requested by', () => {
  const id = (project: string) => preflightIdOf('t-1', project);
  const workflow = (workflowId: string, workflowType: string = WORKFLOWS.preflight): ActivityInfo => ({
    inWorkflow: true,
    activityId: '1',
    workflowType,
    workflowExecution: { workflowId, runId: 'r' },
  });
  const local = (project: string) => taskQueueOf(project, 'dev', 'local');
  const requestedBy = async (infoOf: (project: string) => ActivityInfo): Promise<unknown> => {
    const { preflight, project } = preflightedProject();
    return preflight({}, infoOf(project));
  };

  test.each<[string, (project: string) => ActivityInfo]>([
    ['an activity under the id of the task', (project) => ({ inWorkflow: false, activityId: id(project) })],
    ['a workflow under the id of the task', (project) => workflow(id(project))],
    ['either placement', (project) => ({ taskQueue: taskQueueOf(project, 'dev', 'cloud') })],
  ])('%s', async (_, infoOf) => {
    await expect(requestedBy(infoOf)).resolves.toMatchObject({ plan: { ability: { id: 'flow' } } });
  });

  test.each<[string, (project: string) => ActivityInfo]>([
    ['an activity under another id', () => ({ activityId: 'mine' })],
    ['an activity under an id without its project', () => ({ activityId: 'preflight:t-1' })],
    ['a workflow under an id without its project', () => workflow('preflight:t-1')],
    ['a workflow under another id', () => workflow('mine')],
    ['a workflow of another type', (project) => workflow(id(project), 'mine')],
    [
      'a workflow under another id whose activity has the right one',
      (p) => ({ ...workflow('mine'), activityId: id(p) }),
    ],
    ['one on the queue of another environment', (project) => ({ taskQueue: taskQueueOf(project, 'prod', 'local') })],
    ['a workflow on another queue', (project) => ({ ...workflow(id(project)), taskQueue: `${local(project)}-2` })],
  ])('but not by %s', async (_, infoOf) => {
    await expect(requestedBy(infoOf)).rejects.toMatchObject({ type: 'seal.invalid', nonRetryable: true });
  });
});

describe('a failure of a preflight', () => {
  const failing = (of: ActivityInfo, project = preflightedProject()) => {
    const refused = project.preflight({ ability: 'none' }, of);
    return refused.then(
      () => expect.unreachable(),
      (error: { details: [unknown, object]; type: string }) => error,
    );
  };

  test('has the digest of the request, and states that no workflow waits for it', async () => {
    const project = preflightedProject();
    const { type, details } = await failing({}, project);
    expect(type).toBe('ability.not_found');
    expect(details[1]).toEqual({ request: digestOf(project.request({ ability: 'none' })), outside: true });
  });

  test('of a workflow has only the digest of the request', async () => {
    const project = preflightedProject();
    const id = preflightIdOf('t-1', project.project);
    const workflowExecution = { workflowId: id, runId: 'r' };
    const { details } = await failing(
      { inWorkflow: true, workflowType: WORKFLOWS.preflight, workflowExecution },
      project,
    );
    expect(details[1]).toEqual({ request: digestOf(project.request({ ability: 'none' })) });
  });
});

test('a preflight sends heartbeats while it runs', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const { dependencies, project, request } = preflightedProject(
    {},
    {
      tools: {
        pin: async (plan) => {
          vi.advanceTimersByTime(ACTIVITY_LIMITS.heartbeat);
          return { plan, warnings: [] };
        },
      },
    },
  );
  const taskQueue = taskQueueOf(project, 'dev', 'local');
  const environment = activityEnvironment({ inWorkflow: false, activityId: preflightIdOf('t-1', project), taskQueue });
  const beats: unknown[] = [];
  environment.on('heartbeat', (details) => beats.push(details));
  await environment.run(createPreflight(dependencies), request());
  expect(beats.length).toBeGreaterThan(1);
});

describe('a request is refused', () => {
  test.each<[string, string, Partial<TaskRequest>]>([
    ['with a scope that leads out of the project', 'usage.invalid', { scope: '../other' }],
    ['with a run that is a path', 'usage.invalid', { run: 'a/b' }],
    ['with an input that its schema does not allow', 'input.invalid', { input: { n: 'one' } }],
    ['of an ability that does not exist', 'ability.not_found', { ability: 'none' }],
    ['in an environment that does not exist', 'environment.not_found', { environment: 'none' }],
  ])('%s', async (_, type, of) => {
    const { preflight, records } = preflightedProject();
    await expect(preflight(of)).rejects.toMatchObject({ type });
    expect(records.read('t-1')).toBeUndefined();
  });
});

describe('a request for a specific plan', () => {
  const planned = async (files: Record<string, string>, more = {}) => {
    const first = preflightedProject(files, more);
    const { plan, seal } = (await first.preflight()) as PreflightAnswer & { seal: Seal };
    return { ...first, plan, seal };
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

describe('a key that is taken by the same request', () => {
  const held = async (project: ReturnType<typeof preflightedProject>) => {
    const input = digestOf({ n: 1 });
    const memo = { ability: 'flow', environment: 'dev', input, plan: 'p' } as never;
    project.dependencies.findTask = async () => ({ project: project.project, memo });
    return project.preflight();
  };

  test('of a task in Temporal gives the plan without a seal, and runs no hook', async () => {
    const pin = vi.fn();
    const project = preflightedProject({}, { tools: { pin } });
    const answer = await held(project);
    expect(answer).toMatchObject({ plan: { ability: { id: 'flow' } }, input: { n: 1 }, warnings: [] });
    expect(Object.keys(answer).sort()).toEqual(['input', 'plan', 'registry', 'request', 'warnings']);
    expect(pin).not.toHaveBeenCalled();
  });

  test('of an ended task of which only the record is left is answered as ended', async () => {
    const { preflight, records } = preflightedProject();
    await preflight();
    endRecord(records, 't-1');
    const answer = await preflight();
    expect(answer.ended).toBe(true);
    expect(answer).not.toHaveProperty('seal');
  });

  test('of a caller that died before the start replaces the record', async () => {
    const { preflight, records } = preflightedProject();
    await preflight();
    await preflight({ intent: 'once more' });
    expect(records.read('t-1')).toMatchObject({ intent: 'once more' });
  });
});

describe('two concurrent preflights of one request', () => {
  /** What another preflight leaves while this one inspects its tools. */
  const meanwhile = (
    leave: (project: ReturnType<typeof preflightedProject>) => unknown,
    of: Partial<TaskRequest> = {},
  ) => {
    const project = preflightedProject();
    project.dependencies.tools = {
      pin: async (plan) => {
        await leave(project);
        return { plan, warnings: [] };
      },
    };
    return project.preflight(of);
  };
  const other = async (project: ReturnType<typeof preflightedProject>, of: Partial<TaskRequest> = {}) => {
    const { pin } = preflightedProject().dependencies.tools;
    const { dependencies, project: name, request } = project;
    const taskQueue = taskQueueOf(name, 'dev', 'local');
    const environment = activityEnvironment({ inWorkflow: false, activityId: preflightIdOf('t-1', name), taskQueue });
    return environment.run(createPreflight({ ...dependencies, tools: { pin } }), request(of));
  };

  test('both succeed, and one creates the record', async () => {
    await expect(meanwhile((project) => other(project))).resolves.toHaveProperty('seal');
  });

  test.each<[string, (project: ReturnType<typeof preflightedProject>) => unknown]>([
    ['another request', (project) => other(project, { input: { n: 2 } })],
    [
      'a task that has ended',
      async (project) => {
        await other(project);
        endRecord(project.records, 't-1');
      },
    ],
    ['a folder without a readable record', ({ root }) => mkdirSync(join(root, 'records', 't-1'), { recursive: true })],
  ])('one fails if the other was of %s', async (_, leave) => {
    await expect(meanwhile(leave)).rejects.toMatchObject({ type: 'task.key_conflict' });
  });
});

describe('a direct run', () => {
  const direct = { task: 'direct:1', direct: true };

  test('has no record', async () => {
    const { preflight, records } = preflightedProject();
    expect(await preflight(direct)).not.toHaveProperty('record');
    expect(records.read('direct:1')).toBeUndefined();
  });

  test('has one that expires if the policy retains them', async () => {
    vi.useFakeTimers({ now: Date.UTC(2030, 0, 1), toFake: ['Date'] });
    const { preflight, records } = preflightedProject({
      'ability.yaml': projectFile(undefined, 'policy: { direct_records: { keep: 2h } }\n'),
    });
    await preflight(direct);
    expect(records.read('direct:1')).toMatchObject({ expires_at: '2030-01-01T02:00:00.000Z' });
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
    const task = { seal: sealed ? (seal as Seal) : { ...(seal as Seal), mac: 'ab' }, user: USER, session: null, plan };
    const taskQueue = taskQueueOf(first.project, 'dev', 'local');
    const chains = { has: async () => false, keep: async () => {} };
    const start = { ...RUN, type: 'flow', taskQueue, task };
    first.dependencies.plans = new Admission(first.project, KEYS, async () => start, chains);
    const ended = { plan, progress: DONE, run: RUN, ...(files.length > 0 && { files }) };
    first.dependencies.readEnded = vi.fn(async () => ended as never);
    return { ...first, answer: () => first.preflight({ retry: { task: 'early', from } }) };
  }

  test('takes over what the earlier task has done, under its seal', async () => {
    const { answer, dependencies, project } = await retried(null);
    const { progress, seal } = await answer();
    expect(progress).toEqual({ first: DONE.first });
    expect(seal).toMatchObject({ progress: digestOf(progress) });
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

  const outcomeOf = async (of: Partial<TaskRequest>) => {
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
    expect((await outcomeOf({ session: null, input: { n: 2 } })).messages).toEqual([]);
  });
});
