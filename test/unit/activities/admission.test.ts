import { describe, expect, test, vi } from 'vitest';
import { Admission, type CheckedChains } from '../../../src/activities/admission.js';
import { signSeal } from '../../../src/activities/seal.js';
import type { RunStart } from '../../../src/activities/task/runs.js';
import { CEL, PLACEMENTS, taskQueueOf, WORKFLOWS } from '../../../src/contracts/names.js';
import type { Plan } from '../../../src/contracts/plan.js';
import type { Seal } from '../../../src/contracts/seal.js';
import { digestOf } from '../../../src/rules/canonical.js';
import { sealMark } from '../../../src/rules/plans/plan-digest.js';
import { examplePlan } from '../rules/example-plan.js';

const { ability, steps, finally: cleanup, limits } = examplePlan();
const inner = { ability: { ...ability, id: 'inner' }, steps, finally: cleanup, limits };
const PLAN: Plan = { ...examplePlan(), workflows: { inner } };
const QUEUE = taskQueueOf(PLAN.project, PLAN.environment.name, PLAN.placement);
const ELSEWHERE = taskQueueOf(PLAN.project, 'elsewhere', PLAN.placement);
const OTHER_CEL = { ...PLAN, cel: CEL + 1 };
const keys = { keys: new Map([['k', Buffer.alloc(32, 1)]]) };
const user = { name: 'ann', source: 'claimed' } as const;
const activity = activityOf('t-1', 'r-1');

function activityOf(workflowId: string, runId: string, taskQueue = QUEUE) {
  return { workflowExecution: { workflowId, runId }, taskQueue };
}

function sealOf(more: Partial<Seal> = {}, plan = PLAN): Seal {
  const body = { plan: digestOf(plan), task: 't-1', input: 'one', user, confirmations: [] };
  return { ...signSeal(body, keys), ...more };
}

/** A run as its first event describes it; by default that of the sealed task. */
function runOf(more: Partial<RunStart> = {}, seal = sealOf(), plan = PLAN): RunStart {
  const start = { workflowId: 't-1', runId: 'r-1', type: PLAN.ability.id, taskQueue: QUEUE };
  return { ...start, task: { seal, user, session: null, plan }, ...more };
}

function childOf(more: Partial<RunStart> = {}): RunStart {
  const task = { seal: sealOf(), user, session: null, plan: PLAN, child: 'inner' };
  const parent = { workflowId: 't-1', runId: 'r-1' };
  return runOf({ workflowId: 't-1/sub', runId: 'r-2', type: 'inner', parent, task, ...more });
}

const MARK = sealMark(sealOf());

const NOTHING_CHECKED: CheckedChains = { has: async () => false, keep: async () => {} };

function sourceOver(runs: RunStart[], chains = NOTHING_CHECKED) {
  const readRun = vi.fn(async ({ runId }: { runId: string }) => runs.find((run) => run.runId === runId));
  return { source: new Admission(PLAN.project, keys, readRun, chains, () => [...PLACEMENTS, 'near-db']), readRun };
}

function noteRun(source: Admission, { task, ...run }: RunStart): void {
  source.note(run, task ?? null);
}

describe('an activity is admitted', () => {
  test('without a query to Temporal, if this worker ran its preflight and its workflow', async () => {
    const { source, readRun } = sourceOver([]);
    source.keep(PLAN, digestOf(PLAN));
    noteRun(source, runOf());
    const seal = sealOf();
    expect(await source.admit(sealMark(seal), activity)).toMatchObject({ plan: PLAN, seal, user, session: null });
    expect(readRun).not.toHaveBeenCalled();
  });

  test('of a called task, if this worker runs it and its caller', async () => {
    const { source, readRun } = sourceOver([]);
    source.keep(PLAN, digestOf(PLAN));
    noteRun(source, runOf());
    noteRun(source, childOf());
    const { plan, root } = await source.admit(MARK, activityOf('t-1/sub', 'r-2'));
    expect([plan.ability.id, root.ability.id]).toEqual(['inner', PLAN.ability.id]);
    expect(readRun).not.toHaveBeenCalled();
  });

  test('otherwise by the first event of its run, which is read once', async () => {
    const { source, readRun } = sourceOver([runOf()]);
    const first = await source.admit(sealMark(sealOf()), activity);
    expect(await source.admit(sealMark(sealOf()), activity)).toEqual(first);
    expect(readRun).toHaveBeenCalledOnce();
  });

  test('although its first run is forgotten, if the store knows it', async () => {
    const { source } = sourceOver([runOf({ first: 'r-0' })], {
      has: async (first) => first === 'r-0',
      keep: async () => {},
    });
    expect(await source.admit(MARK, activity)).toMatchObject({ plan: PLAN });
  });

  test('of a run that continues one in the other placement, and the store is informed', async () => {
    const keep = vi.fn();
    const taskQueue = taskQueueOf(PLAN.project, PLAN.environment.name, PLAN.placement === 'cloud' ? 'local' : 'cloud');
    const runs = [runOf({ first: 'r-0' }), runOf({ runId: 'r-0', taskQueue })];
    const { source } = sourceOver(runs, { has: async () => false, keep });
    await source.admit(MARK, activity);
    expect(keep).toHaveBeenCalledWith('r-0');
  });
});

test('a run may continue one on the queue of a placement of the project', async () => {
  const taskQueue = taskQueueOf(PLAN.project, PLAN.environment.name, 'near-db');
  const { source } = sourceOver([runOf({ first: 'r-0' }), runOf({ runId: 'r-0', taskQueue })]);
  expect(await source.admit(MARK, activity)).toMatchObject({ plan: PLAN });
});

describe('an activity is refused', () => {
  test.each<[string, Parameters<Admission['admit']>[1], RunStart[]]>([
    ['that no workflow requested', { taskQueue: QUEUE }, [runOf()]],
    ['of a run that Temporal does not know', activity, []],
    ['of a workflow without input', activity, [{ ...runOf(), task: undefined } as unknown as RunStart]],
    [
      'of a task whose plan is not the sealed one',
      activity,
      [runOf({ task: { seal: sealOf(), user, session: null, plan: { ...PLAN, limits: { ...limits, max_ms: 1 } } } })],
    ],
    [
      'of a called workflow whose id does not begin with that of its task',
      activityOf('mine', 'r-2'),
      [childOf({ workflowId: 'mine' }), runOf()],
    ],
    [
      'of a called workflow with the id of its caller',
      activityOf('t-1', 'r-2'),
      [childOf({ workflowId: 't-1' }), runOf()],
    ],
    ['of a task whose seal was changed', activity, [runOf({}, sealOf({ input: 'two' }))]],
    ['of a workflow that carries the seal of another', activityOf('t-2', 'r-1'), [runOf({ workflowId: 't-2' })]],
    ['of a workflow that was started eagerly', activity, [runOf({ eager: true })]],
    [
      'of a run that continues one that was started eagerly',
      activity,
      [runOf({ first: 'r-0' }), runOf({ runId: 'r-0', eager: true })],
    ],
    ['of a task whose caller was started eagerly', activityOf('t-1/sub', 'r-2'), [childOf(), runOf({ eager: true })]],
    ['of a workflow of another type', activity, [runOf({ type: 'other' })]],
    ['of a workflow on a foreign queue', activity, [runOf({ taskQueue: 'own' })]],
    ['that came over the queue of another environment', activityOf('t-1', 'r-1', ELSEWHERE), [runOf()]],
    [
      'of a run that continues one on a foreign queue',
      activity,
      [runOf({ first: 'r-0' }), runOf({ runId: 'r-0', taskQueue: 'own' })],
    ],
    [
      'of a run that continues one of another type',
      activity,
      [runOf({ first: 'r-0' }), runOf({ runId: 'r-0', type: 'other' })],
    ],
    [
      'of a run that continues one on the queue of a placement that the project does not have',
      activity,
      [
        runOf({ first: 'r-0' }),
        runOf({ runId: 'r-0', taskQueue: taskQueueOf(PLAN.project, PLAN.environment.name, 'edge') }),
      ],
    ],
    ['of a run whose first run is forgotten', activity, [runOf({ first: 'r-0' })]],
    [
      'of a called task without a caller',
      activityOf('t-1/sub', 'r-2'),
      [childOf({ parent: undefined } as unknown as RunStart)],
    ],
    [
      'of a task that was called from a foreign queue',
      activityOf('t-1/sub', 'r-2'),
      [childOf(), runOf({ taskQueue: 'own' })],
    ],
    ['of a task with a caller of another type', activityOf('t-1/sub', 'r-2'), [childOf(), runOf({ type: 'other' })]],
    ['of a called task of another type', activityOf('t-1/sub', 'r-2'), [childOf({ type: 'other' }), runOf()]],
    [
      'of a task whose caller continues a run on a foreign queue',
      activityOf('t-1/sub', 'r-2'),
      [childOf(), runOf({ first: 'r-0' }), runOf({ runId: 'r-0', taskQueue: 'own' })],
    ],
  ])('%s', async (_, at, runs) => {
    const { source } = sourceOver(runs);
    await expect(source.admit(MARK, at)).rejects.toMatchObject({ code: 'seal.invalid' });
  });

  test('of a run that this worker executes on a queue other than that of its plan', async () => {
    const { source } = sourceOver([]);
    noteRun(source, runOf({ taskQueue: ELSEWHERE }));
    await expect(source.admit(MARK, activityOf('t-1', 'r-1', ELSEWHERE))).rejects.toMatchObject({
      code: 'seal.invalid',
    });
  });

  test.each([
    ['another seal', '0123456789abcdef'],
    ['no seal', undefined as unknown as string],
  ])('under the mark of %s, even after one was admitted', async (_, mark) => {
    const { source } = sourceOver([runOf()]);
    await expect(source.admit(mark, activity)).rejects.toMatchObject({ code: 'seal.invalid' });
    await source.admit(MARK, activity);
    await expect(source.admit(mark, activity)).rejects.toMatchObject({ code: 'seal.invalid' });
  });

  test('of a task of another project whose queue has the same name', async () => {
    const theirs = { ...PLAN, project: 'a-b', environment: { ...PLAN.environment, name: 'c' } };
    const ours = taskQueueOf('a', 'b-c', PLAN.placement);
    const seal = sealOf({}, theirs);
    const source = new Admission(
      'a',
      keys,
      async () => runOf({ taskQueue: ours }, seal, theirs),
      NOTHING_CHECKED,
      () => [...PLACEMENTS, 'near-db'],
    );
    await expect(source.admit(sealMark(seal), activityOf('t-1', 'r-1', ours))).rejects.toMatchObject({
      code: 'seal.invalid',
      message: expect.stringContaining('a-b'),
    });
  });

  test('over another queue, even after one was admitted', async () => {
    const { source } = sourceOver([runOf()]);
    await source.admit(MARK, activity);
    await expect(source.admit(MARK, activityOf('t-1', 'r-1', ELSEWHERE))).rejects.toMatchObject({
      code: 'seal.invalid',
    });
  });

  test('of a task planned for another build of CEL, even if another worker runs its workflow', async () => {
    const seal = sealOf({}, OTHER_CEL);
    const { source } = sourceOver([runOf({}, seal, OTHER_CEL)]);
    await expect(source.admit(sealMark(seal), activity)).rejects.toMatchObject({
      code: 'engine.unsupported',
      message: expect.stringContaining(`CEL ${CEL + 1}`),
    });
  });
});

describe('the run of a preflight is refused', () => {
  const other = taskQueueOf(PLAN.project, PLAN.environment.name, PLAN.placement === 'cloud' ? 'local' : 'cloud');
  const refused = (runs: RunStart[]) =>
    sourceOver(runs).source.refuseForeignStart({ workflowId: 't-1', runId: 'r-1' }, PLAN.ability.id, [QUEUE, other]);

  test.each<[string, RunStart[]]>([
    ['that Temporal does not know', []],
    ['that was started as another ability', [runOf({ type: 'other' })]],
    ['that was started on a foreign queue', [runOf({ taskQueue: ELSEWHERE })]],
    ['that was started eagerly', [runOf({ eager: true })]],
  ])('%s', async (_, runs) => {
    await expect(refused(runs)).rejects.toMatchObject({ code: 'seal.invalid' });
  });

  test.each([QUEUE, other])('but not one that was started on %s', async (taskQueue) => {
    const { task: _, ...unformed } = runOf({ taskQueue });
    await expect(refused([unformed])).resolves.toBeUndefined();
  });
});

describe('a worker vouches for what an ended task has done', () => {
  test('if it passed preflight', async () => {
    const { source } = sourceOver([runOf()]);
    await expect(source.vouchFor({ workflowId: 't-1', runId: 'r-1' })).resolves.toBeUndefined();
  });

  test.each([
    ['a run that no worker of the project executed', runOf({ taskQueue: 'own' })],
    ['a run that began with progress that was not sealed', runOf({}, sealOf({ progress: 'made up' }))],
  ])('but not for %s', async (_, run) => {
    const { source } = sourceOver([run]);
    const vouched = source.vouchFor({ workflowId: 't-1', runId: 'r-1' });
    await expect(vouched).rejects.toMatchObject({ code: 'seal.invalid' });
  });
});

describe('a notice is admitted', () => {
  const NOTICE = { workflowId: 'notice', runId: 'r-9' };
  const noticeOf = (more: Partial<RunStart> = {}): RunStart => {
    const parent = { workflowId: 't-1', runId: 'r-1' };
    return { ...NOTICE, type: WORKFLOWS.notify, taskQueue: QUEUE, parent, ...more };
  };

  test('with the plan of the task that started it', async () => {
    const { source } = sourceOver([runOf(), noticeOf()]);
    expect(await source.admitNotice({ workflowExecution: NOTICE })).toEqual(PLAN);
  });

  test('even if that task was admitted before', async () => {
    const { source } = sourceOver([runOf(), noticeOf()]);
    await source.admit(MARK, activity);
    expect(await source.admitNotice({ workflowExecution: NOTICE })).toEqual(PLAN);
  });

  test.each<[string, RunStart[], RunStart | undefined]>([
    ['without a workflow', [runOf()], undefined],
    ['that Temporal does not know', [runOf()], noticeOf()],
    ['of another type', [runOf(), noticeOf({ type: 'mine' })], noticeOf()],
    ['that no task started', [runOf(), { ...noticeOf(), parent: undefined } as unknown as RunStart], noticeOf()],
    ['of a task that passed no preflight', [runOf({ taskQueue: 'own' }), noticeOf()], noticeOf()],
  ])('but none %s', async (_, runs, run) => {
    const { source } = sourceOver(runs);
    const admitted = source.admitNotice({ workflowExecution: run && NOTICE });
    await expect(admitted).rejects.toMatchObject({ code: 'seal.invalid' });
  });
});

describe('a plan', () => {
  test('that is stored under its digest is not read', async () => {
    const { source, readRun } = sourceOver([]);
    source.keep(PLAN, digestOf(PLAN));
    source.runs.note({ ...runOf(), task: { seal: sealOf(), user, session: null } });
    expect((await source.admit(MARK, activity)).plan).toBe(PLAN);
    expect(readRun).not.toHaveBeenCalled();
  });

  test('that could not be read is read again', async () => {
    const { source, readRun } = sourceOver([]);
    source.runs.note({ ...runOf(), task: { seal: sealOf(), user, session: null } });
    await expect(source.admit(MARK, activity)).rejects.toMatchObject({ code: 'seal.invalid' });
    readRun.mockResolvedValue(runOf());
    expect(await source.admit(MARK, activity)).toMatchObject({ plan: PLAN });
  });

  test('is read once for concurrent activities', async () => {
    const { source, readRun } = sourceOver([runOf()]);
    source.runs.note({ ...runOf(), task: { seal: sealOf(), user, session: null } });
    await Promise.all([source.admit(MARK, activity), source.admit(MARK, activity)]);
    expect(readRun).toHaveBeenCalledOnce();
  });
});

test('a known run that is not a task admits nothing', async () => {
  const notice = { ...runOf({ type: WORKFLOWS.notify }), task: undefined } as unknown as RunStart;
  const { source, readRun } = sourceOver([runOf()]);
  noteRun(source, notice);
  await expect(source.admit(MARK, activity)).rejects.toMatchObject({ code: 'seal.invalid' });
  expect(readRun).not.toHaveBeenCalled();
});

test('a run that was seen before the end of its preflight is admitted after it', async () => {
  const unformed = { ...runOf(), task: undefined } as unknown as RunStart;
  const { source, readRun } = sourceOver([unformed]);
  await expect(source.admit(MARK, activity)).rejects.toMatchObject({ code: 'seal.invalid' });
  readRun.mockResolvedValue(runOf());
  await expect(source.admit(MARK, activity)).resolves.toMatchObject({ plan: PLAN });
});

test('a run that was admitted is not examined again', async () => {
  const has = vi.fn(async () => true);
  const { source } = sourceOver([runOf({ first: 'r-0' })], { has, keep: async () => {} });
  await source.admit(MARK, activity);
  await source.admit(MARK, activity);
  expect(has).toHaveBeenCalledOnce();
});
