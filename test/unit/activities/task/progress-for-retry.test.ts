import { describe, expect, test } from 'vitest';
import { keptProgress } from '../../../../src/activities/task/progress-for-retry.js';
import type { CallStep, PlanStep } from '../../../../src/contracts/plan.js';
import type { Progress } from '../../../../src/contracts/task.js';

const call = (id: string, more: Partial<CallStep> = {}): CallStep => ({
  id,
  verb: 'call',
  call: 'op',
  with: {},
  ...more,
});
const approval = (id: string): PlanStep => ({
  id,
  verb: 'approval',
  approval: { title: 'x', expires: '1h', comment: 'optional' },
});
const done = { status: 'succeeded' } as const;
const failed = { status: 'failed', error: { code: 'x.y', message: 'm' } } as const;

function keep(steps: PlanStep[], progress: Progress, more: { now?: PlanStep[]; from?: string } = {}): string[] {
  const tree = (list: PlanStep[]) => ({ steps: list, finally: [call('end')] });
  return Object.keys(keptProgress({ plan: tree(steps), progress }, tree(more.now ?? steps), more.from ?? null)).sort();
}

describe('a retry takes over', () => {
  test('what was done, up to the first step that was not, and never the clean-up', () => {
    const progress: Progress = { a: done, b: { status: 'skipped' }, c: failed, end: done };
    expect(keep([call('a'), call('b'), call('c')], progress)).toEqual(['a', 'b']);
  });

  test('nothing from the named step on, even if that is inside a group', () => {
    const steps = [call('a'), { id: 'g', verb: 'steps', steps: [call('b'), call('c')] } as PlanStep, call('d')];
    const progress: Progress = { a: done, g: done, 'g/b': done, 'g/c': done, d: failed };
    expect(keep(steps, progress)).toEqual(['a', 'g', 'g/b', 'g/c']);
    expect(keep(steps, progress, { from: 'c' })).toEqual(['a', 'g/b']);
    expect(keep(steps, progress, { from: 'a' })).toEqual([]);
  });

  test('no call that was undone, but the undo of another one stays known', () => {
    const undo = { call: 'op', with: {} };
    const steps = [call('a', { undo }), call('b', { undo }), call('c')];
    const pending = { status: 'pending', sequence: 1, undo: { with: {} } } as const;
    expect(keep(steps, { a: done, 'a.undo': pending, b: done, 'b.undo': done, c: failed })).toEqual(['a', 'a.undo']);
  });

  test('nothing from a step on whose definition has changed', () => {
    const progress: Progress = { a: done, b: done, c: failed };
    const steps = [call('a'), call('b'), call('c')];
    expect(keep(steps, progress, { now: [call('a'), call('b', { with: { n: 2 } }), call('c')] })).toEqual(['a']);
    expect(keep(steps, progress, { now: [call('a'), call('b'), call('c', { timeout: '5m' })] })).toEqual(['a', 'b']);
  });

  test('no approval, but what was done after one', () => {
    const group: PlanStep = { id: 'g', verb: 'steps', steps: [call('b'), approval('ask'), call('c')] };
    const progress: Progress = { g: done, 'g/b': done, 'g/ask': done, 'g/c': done, d: failed };
    expect(keep([group, call('d')], progress)).toEqual(['g/b', 'g/c']);
  });

  test('no group or loop in which an `end` ended the task, so that nothing after it runs', () => {
    const end: PlanStep = { id: 'stop', verb: 'end', end: { output: null } };
    const group: PlanStep = { id: 'g', verb: 'steps', steps: [call('b'), end] };
    expect(keep([group, call('d')], { g: done, 'g/b': done, 'g/stop': done, d: { status: 'skipped' } })).toEqual([
      'g/b',
    ]);
    const passed: Progress = { g: done, 'g/b': done, 'g/stop': { status: 'skipped' }, d: failed };
    expect(keep([group, call('d')], passed)).toEqual(['g', 'g/b', 'g/stop']);
    const loop: PlanStep = {
      id: 'l',
      verb: 'foreach',
      foreach: { list: [1, 2] },
      as: 'n',
      max_parallel: 1,
      steps: [end],
    };
    expect(keep([loop, call('d')], { l: { ...done, items: { 0: 1 } }, 'l/1/stop': done })).toEqual([]);
  });

  test('each branch separately, and the items of a loop that are done', () => {
    const branches = [call('b'), call('c')];
    const parallel: PlanStep = { id: 'p', verb: 'parallel', branches };
    expect(keep([parallel], { p: failed, 'p/b': failed, 'p/c': done })).toEqual(['p/c']);
    const loop: PlanStep = {
      id: 'l',
      verb: 'foreach',
      foreach: { list: [1, 2] },
      as: 'x',
      max_parallel: 1,
      steps: [call('b')],
    };
    const entry = { ...failed, items: { 0: 'first' } };
    const tree = { steps: [loop], finally: [] };
    expect(keptProgress({ plan: tree, progress: { l: entry, 'l/1/b': failed } }, tree, null)).toEqual({
      l: { status: 'pending', items: { 0: 'first' } },
    });
    const last = { b: { status: 'succeeded', output: 1 } };
    expect(keptProgress({ plan: tree, progress: { l: { ...entry, last } } }, tree, null)).toEqual({
      l: { status: 'pending', items: { 0: 'first' }, last },
    });
  });

  test('the usage of an agent, also if its conversation begins anew', () => {
    const agent = { model: 'm', instructions: '', tools: [], limits: { max_turns: 9, max_calls: 9 } };
    const tree = { steps: [call('turns')], finally: [], agent };
    const used = { turns: 2, calls: 3, input_tokens: 40, output_tokens: 5, cost: 0.5 };
    const progress = { turns: { ...failed, agent: { ...used, head: 'h', denied: { d: 'no' } } } };
    const kept = (from: string | null) => keptProgress({ plan: tree, progress }, tree, from).turns?.agent;
    expect(kept(null)).toEqual({ ...used, head: 'h' });
    expect(kept('turns')).toEqual({ ...used, turns: 0, head: null });
  });
});
