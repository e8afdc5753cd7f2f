import { ActivityFailure } from '@temporalio/common';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { CallFailure } from '../../../src/activities/call/call-failure.js';
import { toFailure, unknownOutcome } from '../../../src/activities/failures.js';
import type { Plan, PlanStep } from '../../../src/contracts/plan.js';
import type { StoredResult } from '../../../src/contracts/stored-result.js';
import type { Progress } from '../../../src/contracts/task.js';
import { resultOfTree, runTree } from '../../property/run-tree.js';
import { Script } from '../../property/script.js';
import { planOf } from '../../property/trees.js';

/** Calls of `op.add` cannot be cut: one that is running when it is cancelled has an unknown outcome. */
vi.mock('@temporalio/workflow', async () => {
  const { fakeWorkflow } = await import('../../property/fake-workflow.js');
  const proxyActivities: typeof fakeWorkflow.proxyActivities = (options) => {
    const others = fakeWorkflow.proxyActivities(options);
    const cut = (name: string) => (request: Parameters<(typeof others)[string]>[0]) =>
      others[name]?.(request).catch((error: unknown) => {
        throw name === 'op.add' && fakeWorkflow.isCancellation(error) ? atWork() : error;
      });
    return new Proxy(others, { get: (_, name: string) => cut(name) });
  };
  return { ...fakeWorkflow, proxyActivities };
});

const atWork = (): ActivityFailure => {
  const problem = unknownOutcome({ code: 'timeout.call', message: 'was stopped before it ended' });
  const cause = toFailure(new CallFailure(problem), undefined, { cut: true });
  return new ActivityFailure('failed', 'op.add', '1', 'NON_RETRYABLE_FAILURE', 'fake', cause);
};

beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterAll(() => {
  vi.useRealTimers();
});

const add = (id: string, more: object = {}): PlanStep => ({ id, verb: 'call', call: 'op.add', with: {}, ...more });
const pause = (id: string, ms = 1): PlanStep => ({ id, verb: 'wait', wait: { for: `${ms}ms` } });
const value = (id: string, text: string): PlanStep => ({ id, verb: 'let', let: { v: text } });
const bad = (id: string, more: object = {}): PlanStep => ({
  id,
  verb: 'fail',
  fail: { code: 'app.no', message: 'no' },
  ...more,
});
const end = (more: object): PlanStep => ({ id: 'done', verb: 'end', end: { output: 'early' }, ...more });
const each = (steps: PlanStep[], more: object = {}): PlanStep => ({
  id: 'each',
  verb: 'foreach',
  foreach: { list: ['a', 'b', 'c', 'd'] },
  as: 'n',
  index: 'i',
  max_parallel: 1,
  steps,
  ...more,
});
const repeat = (steps: PlanStep[], more: object = {}, until = 'false'): PlanStep => ({
  id: 'poll',
  verb: 'repeat',
  index: 'i',
  repeat: { until, every: '1s', max: 9 },
  steps,
  ...more,
});

type Run = InstanceType<typeof import('../../../src/workflows/task/task-run.js').TaskRun>;

interface Given {
  plan?: Partial<Plan>;
  cancelAt?: number;
  outcomes?: Record<string, string[]>;
  progress?: Progress;
}

async function resultOf(steps: PlanStep[], { plan, cancelAt, outcomes = {}, progress }: Given = {}) {
  const { task } = await import('../../../src/workflows/task.js');
  const tree = {
    plan: { ...planOf(steps), ...plan },
    input: {},
    script: new Script(1, outcomes, {}, cancelAt),
  };
  return resultOfTree(task, tree, progress);
}

async function effectsOf(steps: PlanStep[]) {
  const { task } = await import('../../../src/workflows/task.js');
  const tree = { plan: planOf(steps), input: {}, script: new Script(1, {}, {}, undefined) };
  return (await runTree(task, tree)).effects.map((effect) => effect.with);
}

const rowOf = ({ steps }: StoredResult, path: string) => steps.find((row) => (row.path ?? row.id) === path);
const named = (of: string[], text: string) => of.map((path) => expect.stringContaining(text.replace('@', path)));

describe('warnings name the item', () => {
  test('of every call whose outcome is unknown', async () => {
    const race: PlanStep = { id: 'r', verb: 'race', branches: [add('one'), add('two'), pause('quick')] };
    const { warnings, error } = await resultOf([each([race], { max_parallel: 2, on_failure: 'finish' })]);
    expect(error?.details).toMatchObject({ path: 'each/0/r/one' });
    const lost = ['each/0/r/two', 'each/1/r/one', 'each/1/r/two', 'each/2/r/one', 'each/2/r/two', 'each/3/r/one'];
    expect(warnings).toHaveLength(7);
    expect(warnings).toEqual(expect.arrayContaining(named(lost, '@: outcome.unknown: ')));
  });

  test('of every call that was not taken back', async () => {
    const undo = { call: 'op.read', with: {} };
    const { warnings } = await resultOf([each([add('a', { undo })]), bad('x')], {
      outcomes: { 'a.undo': ['script.exit'] },
    });
    const items = [3, 2, 1, 0].map((item) => `each/${item}/a`);
    expect(warnings).toEqual(named(items, 'Not undone: @: script.exit: '));
  });

  test('of every clean-up that failed in addition to another failure', async () => {
    const step = bad('a', { finally: [bad('clean'), bad('again')] });
    const { warnings } = await resultOf([each([step], { on_failure: 'finish' })]);
    const items = [0, 1, 2, 3].flatMap((item) => [`each/${item}/a/again`, `each/${item}/a/clean`]);
    expect(warnings).toEqual(named(items, 'Clean-up: @: app.no: '));
  });
});

describe('a loop in which the task ended early', () => {
  test('counts the item that ended a `foreach` as succeeded', async () => {
    const result = await resultOf([each([pause('p'), end({ if: 'i == 1' })])]);
    expect(result).toMatchObject({ status: 'succeeded', output: 'early' });
    expect(rowOf(result, 'each')?.items).toMatchObject({ succeeded: 2, not_run: 2, done: [[0, 1]] });
  });

  test('counts the turn that ended a `repeat` as succeeded', async () => {
    const result = await resultOf([repeat([pause('p'), end({ if: 'i == 2' })])]);
    expect(rowOf(result, 'poll')?.items).toEqual({ verb: 'repeat', total: 3, succeeded: 3 });
  });
});

describe('a clean-up that fails after an `end`', () => {
  const left = (more: object = {}) => ({ finally: [bad('clean')], fails_end: true, ...more });
  const group = (steps: PlanStep[], more: object): PlanStep => ({ id: 'g', verb: 'steps', steps, ...more });

  test('makes the task fail with its error, and nothing more runs except undo calls', async () => {
    const undone = add('a', { undo: { call: 'op.read', with: {} } });
    const given = { outcomes: { 'a.undo': ['script.exit'] } };
    const result = await resultOf([undone, group([end({})], left()), value('after', 'x')], given);
    expect(result).toMatchObject({ status: 'failed', output: null, error: { code: 'app.no', step: 'clean' } });
    expect(result.error?.details).toMatchObject({ path: 'g/clean' });
    expect(rowOf(result, 'g')).toMatchObject({ status: 'failed' });
    expect(rowOf(result, 'after')?.status).not.toBe('succeeded');
    expect(result.warnings).toEqual([expect.stringMatching(/^Not undone: a: /)]);
  });

  test('does so in a loop as well, with its item; a second failure is a warning', async () => {
    const result = await resultOf([each([group([end({})], left({ if: 'i == 1' }))], left({ finally: [bad('last')] }))]);
    expect(result).toMatchObject({ status: 'failed', error: { details: { path: 'each/1/g/clean' } } });
    expect(rowOf(result, 'each')?.items).toMatchObject({ succeeded: 0, failed: 1 });
    expect(result.warnings).toEqual([expect.stringMatching(/^Clean-up: .*last: app\.no/)]);
  });

  test('is forgiven if the step allows it: the task has still ended early', async () => {
    const result = await resultOf([group([end({})], left({ continue_on_error: true })), bad('after')]);
    expect(result).toMatchObject({ status: 'succeeded', output: 'early' });
    expect(result.warnings).toEqual([expect.stringMatching(/^The step g failed and the task went on/)]);
  });

  test('is a warning if the plan does not mark the step', async () => {
    const result = await resultOf([group([end({})], left({ fails_end: undefined }))]);
    expect(result).toMatchObject({ status: 'succeeded', output: 'early' });
    expect(result.warnings).toEqual([expect.stringMatching(/^Clean-up: clean: app\.no/)]);
  });
});

describe('a task that is cancelled', () => {
  test('reports which items it cancelled, and how many never began', async () => {
    const result = await resultOf([each([pause('p', 9999)], { max_parallel: 2, label: '${{ n }}!' })], { cancelAt: 5 });
    expect(rowOf(result, 'each')).toMatchObject({
      items: { total: 4, succeeded: 0, cancelled: 2, not_run: 2 },
      failures: [
        { item: 0, label: 'a!', status: 'cancelled', path: 'each/0/p' },
        { item: 1, label: 'b!', status: 'cancelled', path: 'each/1/p' },
      ],
    });
  });

  test('during a turn of a `repeat` that must not be cut ends as unknown, and names the turn', async () => {
    const result = await resultOf([repeat([pause('p'), add('a')])], { cancelAt: 5 });
    expect(result).toMatchObject({ status: 'unknown', error: { details: { path: 'poll/0/a' } } });
    expect(rowOf(result, 'poll')).toMatchObject({
      items: { total: 1, succeeded: 0, unknown: 1 },
      failures: [{ item: 0, status: 'unknown', path: 'poll/0/a' }],
    });
  });
});

test('a `label` sees the last turn of its own loop inside another loop', async () => {
  const seen = '${{ steps.each.output == null ? "first" : string(steps.each.output.size()) }}';
  const outer = repeat([each([bad('f')], { label: seen, on_error: [{ steps: [], output: [1, 2] }] })], {}, 'i == 1');
  const { steps } = await resultOf([outer]);
  const labels = steps.find(({ path }) => path === 'poll/*/each')?.failures?.map(({ label }) => label);
  expect(labels).toEqual(['first', '2']);
});

test('an item that failed under `on_failure: finish` passes nothing to the next one, as after a new run', async () => {
  const look: PlanStep = { id: 'look', verb: 'call', call: 'op.read', with: { was: '${{ steps.l.output }}' } };
  const steps = [look, value('l', '${{ n }}'), bad('f', { if: 'i == 1' }), value('m', '${{ steps.look.output }}')];
  const seen = await effectsOf([each(steps, { on_failure: 'finish' })]);
  expect(seen).toEqual([{ was: null }, { was: { v: 'a' } }, { was: { v: 'a' } }, { was: { v: 'c' } }]);
});

test('a long `foreach` keeps no entry of a `repeat` in a finished item, and counts its turns', async () => {
  const { TaskRun } = await import('../../../src/workflows/task/task-run.js');
  const keys = new Set<string>();
  const { summarize } = TaskRun.prototype;
  const spy = vi.spyOn(TaskRun.prototype, 'summarize').mockImplementation(function (this: Run, isEnded) {
    if (isEnded) for (const path of Object.keys(this.steps.progress)) keys.add(path);
    return summarize.call(this, isEnded);
  });
  const covered = { continue_on_error: true };
  const poll = repeat([pause('p'), bad('f', { if: 'i == 1', ...covered }), bad('g', { if: 'i == 2' })], covered);
  const result = await resultOf([each([poll])]);
  spy.mockRestore();
  expect([...keys]).toEqual(['each']);
  expect(rowOf(result, 'each')?.items).toEqual({ verb: 'foreach', total: 4, succeeded: 4 });
  expect(rowOf(result, 'each/*/poll')?.items).toEqual({ verb: 'repeat', total: 12, succeeded: 8, failed: 4 });
  expect(rowOf(result, 'each/*/poll')?.failures).toMatchObject(
    [0, 1, 2, 3].map((n) => ({ path: `each/${n}/poll/2/g` })),
  );
  expect(rowOf(result, 'each/*/poll/*/p')).toMatchObject({ turns: 12, status: 'succeeded' });
  expect(rowOf(result, 'each/*/poll/*/f')?.failures).toMatchObject(
    [0, 1, 2, 3].map((n) => ({ item: 1, path: `each/${n}/poll/1/f` })),
  );
  expect(rowOf(result, 'each/*/poll/*/g')).toMatchObject({ turns: 4, failed_turns: 4 });
  expect(rowOf(result, 'each/*/poll/*/g')).not.toHaveProperty('failures');
});

test('a task that continues as a new run sees the failed turn of a `repeat` as the run before it did', async () => {
  const steps = (more: PlanStep[]) => [
    repeat([value('l', '${{ i }}'), bad('f', { if: 'i == 2' })], { continue_on_error: true }),
    ...more,
  ];
  const output = { l: '${{ steps.l.output.v }}', f: '${{ steps.f.status }}' };
  const seen: Progress[] = [];
  const { carryOn } = await import('../../../src/workflows/continue-as-new/carry-on.js');
  const { TaskRun } = await import('../../../src/workflows/task/task-run.js');
  const summarize = vi.spyOn(TaskRun.prototype, 'summarize').mockImplementation(function (this: Run) {
    seen.push(structuredClone(carryOn(this).progress ?? {}));
    return [];
  });
  const first = await resultOf(steps([]), { plan: { output } });
  summarize.mockRestore();
  expect(first.output).toEqual({ l: 2, f: 'failed' });
  const next = await resultOf(steps([]), { plan: { output }, progress: seen.at(-1) as Progress });
  expect(next.output).toEqual(first.output);
});

test('in a case with a clock of its own, the task has a start time on that clock', async () => {
  const shift = -3 * 365 * 86_400_000;
  const output = { early: '${{ timestamp(task.started_at) + duration("1h") > now() }}' };
  const late: PlanStep = { id: 'late', verb: 'wait', wait: { until: 'timestamp(task.started_at) + duration("1h")' } };
  const { output: seen } = await resultOf([pause('p')], { plan: { output, clock_shift_ms: shift } });
  expect(seen).toEqual({ early: true });
  const { took_ms: took } = await resultOf([late], { plan: { clock_shift_ms: shift } });
  expect(took).toBe(3_600_000);
});
