import { describe, expect, test } from 'vitest';
import { keptProgress } from '../../../../src/activities/task/progress-for-retry.js';
import type { CallStep, PlanStep } from '../../../../src/contracts/plan.js';
import type { NotUndone, Progress } from '../../../../src/contracts/task.js';

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

interface More {
  now?: PlanStep[];
  from?: string;
  stands?: string[];
  undone?: string[];
  reconcile?: true;
  not_undone?: NotUndone[];
}

function taken(steps: PlanStep[], progress: Progress, { now = steps, from, not_undone, ...said }: More = {}) {
  const tree = (list: PlanStep[]) => ({ steps: list, finally: [call('end')] });
  const task = { plan: tree(steps), progress, ...(not_undone && { not_undone }) };
  return keptProgress(task, tree(now), { from: from ?? null, ...said });
}

function keep(steps: PlanStep[], progress: Progress, more: More = {}): string[] {
  return Object.keys(taken(steps, progress, more).progress).sort();
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
    expect(
      keptProgress({ plan: tree, progress: { l: entry, 'l/1/b': failed } }, tree, { from: null }).progress,
    ).toEqual({
      l: { status: 'pending', items: { 0: 'first' } },
    });
    const last = { b: { status: 'succeeded', output: 1 } };
    expect(keptProgress({ plan: tree, progress: { l: { ...entry, last } } }, tree, { from: null }).progress).toEqual({
      l: { status: 'pending', items: { 0: 'first' }, last },
    });
  });

  test('the usage of an agent, also if its conversation begins anew', () => {
    const agent = { model: 'm', instructions: '', tools: [], limits: { max_turns: 9, max_calls: 9 } };
    const tree = { steps: [call('turns')], finally: [], agent };
    const used = { turns: 2, calls: 3, input_tokens: 40, output_tokens: 5, cost: 0.5 };
    const progress = { turns: { ...failed, agent: { ...used, head: 'h', denied: { d: 'no' } } } };
    const kept = (from: string | null) => keptProgress({ plan: tree, progress }, tree, { from }).progress.turns?.agent;
    expect(kept(null)).toEqual({ ...used, head: 'h' });
    expect(kept('turns')).toEqual({ ...used, turns: 0, head: null });
  });
});

describe('a call that was to be undone', () => {
  const undo = { call: 'op.back', with: {} };
  const of = (id: string, status: 'succeeded' | 'denied' | 'failed' | 'unknown' | 'timed_out' | 'pending') => ({
    [id]: done,
    [`${id}.undo`]: { status, call: 'op.back', sequence: 3, undo: { with: { n: 1 } }, attempts: 1 } as const,
  });
  const steps = [call('a', { undo }), call('b', { undo }), call('c')];
  const due = { status: 'pending', call: 'op.back', sequence: 3, undo: { with: { n: 1 } } };

  test('and whose undo was denied stands: it is kept, though what comes before it is repeated', () => {
    const progress = { ...of('a', 'succeeded'), ...of('b', 'denied'), c: failed };
    const { progress: kept, begins } = taken(steps, progress);
    const { sequence: _, ...afterThose } = due;
    expect(kept).toEqual({ b: done, 'b.undo': afterThose });
    expect(begins).toBe('It begins at a: it was undone; it keeps what stands and was not undone: b');
    expect(keep(steps, progress, { from: 'c' })).toEqual(['b', 'b.undo']);
    expect(taken(steps, progress, { from: 'c' }).begins).toMatch(/^It begins at a, before --from c: it was undone/);
    expect(keep(steps, progress, { undone: ['b'] })).toEqual([]);
    expect(keep(steps, { ...of('a', 'denied'), ...of('b', 'denied'), c: failed })).toEqual([
      'a',
      'a.undo',
      'b',
      'b.undo',
    ]);
  });

  test.each(['failed', 'unknown', 'timed_out'] as const)('and whose undo ended %s is asked for', (status) => {
    const progress = { ...of('a', status), ...of('b', 'succeeded'), c: failed };
    const details = { calls: ['a'] };
    expect(() => keep(steps, progress)).toThrow(expect.objectContaining({ code: 'task.undecided', details }));
    expect(() => keep(steps, progress, { from: 'c' })).toThrow(expect.objectContaining({ code: 'task.undecided' }));
    expect(taken(steps, progress, { stands: ['a'] })).toEqual({
      progress: { a: done, 'a.undo': due },
      begins: 'It begins at b: it was undone',
    });
    expect(keep(steps, progress, { undone: ['a'] })).toEqual([]);
    expect(() => keep(steps, progress, { stands: ['aa'] })).toThrow(expect.objectContaining({ code: 'usage.invalid' }));
  });

  test('and that cannot be kept by itself stops the retry', () => {
    const repeat: PlanStep = { id: 'r', verb: 'repeat', repeat: { until: 'true', every: '0s', max: 1 }, steps };
    const inTurn = { 'r/0/a.undo': of('a', 'denied')['a.undo'], r: failed } as Progress;
    const refused = expect.objectContaining({ code: 'task.undecided', details: { calls: ['r/0/a'] } });
    expect(() => keep([repeat], inTurn)).toThrow(refused);
    expect(keep([repeat], inTurn, { undone: ['r/0/a'] })).toEqual([]);
    // Its definition has changed.
    const changed = { now: [call('a', { undo, with: { n: 2 } }), ...steps.slice(1)] };
    const progress = { ...of('a', 'denied'), ...of('b', 'succeeded'), c: failed };
    expect(() => keep(steps, progress, changed)).toThrow(expect.objectContaining({ code: 'task.undecided' }));
    // It was made by a called task, which would be called anew.
    const not_undone: NotUndone[] = [
      { task: 'key/child', path: 'made', call: 'op.back', status: 'denied', error: { code: 'x', message: 'm' } },
    ];
    const child = { child: failed } as Progress;
    expect(() => keep([call('child')], child, { not_undone })).toThrow(
      expect.objectContaining({ details: { calls: ['child/made'] } }),
    );
    expect(keep([call('child')], child, { not_undone, undone: ['child/made'] })).toEqual([]);
  });

  test('from an earlier attempt of its group stops the retry, unless the last one stands as well', () => {
    const group: PlanStep = { id: 'g', verb: 'steps', steps: [call('a', { undo })] };
    const both = (earlier: 'denied' | 'succeeded', last: 'denied' | 'succeeded') => {
      const [one, two] = [of('a', earlier)['a.undo'], of('a', last)['a.undo']];
      return { g: failed, 'g/a': done, 'g/a~1.undo': one, 'g/a.undo': two } as Progress;
    };
    const refused = expect.objectContaining({ code: 'task.undecided', details: { calls: ['g/a~1'] } });
    expect(() => keep([group], both('denied', 'succeeded'))).toThrow(refused);
    expect(keep([group], both('denied', 'succeeded'), { undone: ['g/a~1'] })).toEqual([]);
    expect(keep([group], both('succeeded', 'denied'))).toEqual(['g/a', 'g/a.undo']);
    expect(keep([group], both('denied', 'denied'))).toEqual(['g/a', 'g/a.undo', 'g/a~1.undo']);
    expect(keep([group], both('succeeded', 'succeeded'))).toEqual([]);
  });

  test('in an item keeps the item, while items that were undone are repeated', () => {
    const loop: PlanStep = {
      id: 'l',
      verb: 'foreach',
      foreach: { list: [1, 2] },
      as: 'x',
      max_parallel: 1,
      steps: [call('b', { undo })],
    };
    const undos = { 'l/0/b.undo': of('b', 'denied')['b.undo'], 'l/1/b.undo': of('b', 'succeeded')['b.undo'] };
    const { progress: kept } = taken([loop, call('c')], {
      l: { ...done, items: { 0: 1, 1: 2 } },
      ...undos,
      c: failed,
    } as Progress);
    expect(kept).toEqual({ l: { status: 'pending', items: { 0: 1 } }, 'l/0/b.undo': due });
  });

  test('and a call whose own outcome is not known are not repeated unasked', () => {
    const progress = { a: done, b: { status: 'unknown' } } as Progress;
    expect(() => keep(steps, progress)).toThrow(expect.objectContaining({ code: 'task.undecided' }));
    expect(keep(steps, progress, { from: 'b' })).toEqual(['a']);
    expect(keep(steps, progress, { undone: ['b'] })).toEqual(['a']);
  });
});

describe('a lost call that can be asked about', () => {
  const doubt = { idempotency_key: 't-1/b', input: { n: 1 } };
  const lost = { status: 'unknown', call: 'op' } as const;
  const asked = { status: 'failed', call: 'op.find', doubt, attempts: 1 } as const;
  const steps = [call('a'), call('b')];
  const progress: Progress = { a: done, b: lost, 'b.unknown': asked };

  test('is asked about by a retry that reconciles, and decided by a person in another one', () => {
    expect(taken(steps, progress, { reconcile: true })).toEqual({
      progress: { a: done, 'b.unknown': { status: 'pending', call: 'op.find', doubt } },
      begins: 'It begins at b: it ended unknown',
    });
    expect(() => keep(steps, progress)).toThrow(expect.objectContaining({ code: 'task.undecided' }));
    expect(keep(steps, progress, { undone: ['b'] })).toEqual(['a']);
  });

  test('in a loop is asked about by every retry, unless a person has looked', () => {
    const loop: PlanStep = {
      id: 'l',
      verb: 'foreach',
      foreach: { list: [1, 2] },
      as: 'x',
      max_parallel: 1,
      steps: [call('b')],
    };
    const inLoop: Progress = { l: { ...lost, items: { 0: 1 } }, 'l/1/b.unknown': asked };
    expect(keep([loop], inLoop)).toEqual(['l', 'l/1/b.unknown']);
    expect(keep([loop], inLoop, { from: 'l' })).toEqual([]);
  });

  test('is none that was not asked about, or that is known', () => {
    const refused = expect.objectContaining({ code: 'task.not_in_doubt' });
    expect(() => keep(steps, { a: failed }, { reconcile: true })).toThrow(refused);
    const known: Progress = { a: done, 'a.unknown': { status: 'succeeded' }, b: failed };
    expect(() => keep(steps, known, { reconcile: true })).toThrow(refused);
    expect(() => keep(steps, { ...progress, a: lost }, { reconcile: true })).toThrow(
      expect.objectContaining({ code: 'task.undecided', details: { calls: ['a'] } }),
    );
  });
});
