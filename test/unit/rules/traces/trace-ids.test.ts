import { expect, test } from 'vitest';
import { formatTraceparent, parseTraceparent, readTraceparent } from '../../../../src/rules/traces/trace-context.js';
import {
  attemptSpanId,
  callingSpanId,
  hookInstanceOf,
  stepInstanceOf,
  stepSpanId,
  taskSpanId,
  traceIdOf,
} from '../../../../src/rules/traces/trace-ids.js';

const MARK = '0123456789abcdef';

test('ids have the form of W3C Trace Context, are stable for a task, and differ between tasks (issue 15, item 6)', () => {
  const ids = [
    taskSpanId(MARK, 'a'),
    taskSpanId(MARK, 'b'),
    taskSpanId(MARK.replace('0', '1'), 'a'),
    stepSpanId(MARK, 'a', 's'),
    stepSpanId(MARK, 'a', 's~2'),
    attemptSpanId(MARK, 'a', 's run 1 1'),
    attemptSpanId(MARK, 'a', 's run 1 2'),
  ];
  expect(new Set(ids).size).toBe(ids.length);
  for (const span of ids) expect(readTraceparent(`00-${traceIdOf(MARK)}-${span}-01`)).toBeDefined();
  expect(taskSpanId(MARK, 'a')).toBe(ids[0]);
});

test('the id of a called task identifies the step that calls it', () => {
  expect(callingSpanId(MARK, 'a/each/1/call~2.1')).toBe(stepSpanId(MARK, 'a', stepInstanceOf('each/1/call', [2, 1])));
});

test('an instance distinguishes attempts of groups once there is a second one', () => {
  expect(stepInstanceOf('g/s', [])).toBe('g/s');
  expect(stepInstanceOf('g/s', [1, 1])).toBe('g/s');
  expect(stepInstanceOf('g/s', [1, 2])).toBe('g/s~1.2');
});

test('a hook belongs to its step, to the task, or to the outermost group that may be retried', () => {
  const call = { id: 'call', verb: 'call', call: 'x', with: {} };
  const inner = { id: 'inner', verb: 'steps', steps: [call], retry: { attempts: 2 } };
  const outer = { id: 'outer', verb: 'steps', steps: [inner], retry: { attempts: 2 } };
  const loop = { id: 'loop', verb: 'foreach', steps: [outer] };
  const plan = { ability: { kind: 'workflow' }, steps: [loop, { ...call, id: 'alone' }], finally: [] } as never;
  expect(hookInstanceOf(plan, '')).toBeUndefined();
  expect(hookInstanceOf(plan, 'alone')).toBe('alone');
  expect(hookInstanceOf(plan, 'loop/3/outer')).toBe('loop/3/outer');
  expect(hookInstanceOf(plan, 'loop/3/outer/inner/call')).toBe('loop/3/outer');
  expect(hookInstanceOf({ ability: { kind: 'operation' }, steps: [], finally: [] } as never, 'other')).toBe('other');
  expect(hookInstanceOf(plan, 'run')).toBe('run');
  expect(hookInstanceOf({ ability: { kind: 'operation' }, steps: [], finally: [] } as never, 'run')).toBeUndefined();
});

test('a traceparent is parsed to what it was made of', () => {
  for (const sampled of [true, false]) {
    const context = { trace: 'a'.repeat(32), span: 'b'.repeat(16), sampled };
    expect(parseTraceparent(formatTraceparent(context))).toEqual(context);
  }
});
