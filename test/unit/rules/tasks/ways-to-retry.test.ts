import { describe, expect, test } from 'vitest';
import type { Plan, PlanStep } from '../../../../src/contracts/plan.js';
import { canBeginAt, wayOnFrom, wayToRetry } from '../../../../src/rules/tasks/ways-to-retry.js';
import { examplePlan } from '../example-plan.js';

const call = (id: string): PlanStep => ({ id, verb: 'call', call: 'op', with: {} }) as unknown as PlanStep;
const group = { id: 'group', verb: 'steps', steps: [call('inner')] } as unknown as PlanStep;
const loop = { id: 'loop', verb: 'foreach', steps: [call('turn')] } as unknown as PlanStep;
const poll = { id: 'poll', verb: 'repeat', steps: [call('look'), { ...loop, id: 'each', steps: [call('one')] }] };
const steps = [call('publish'), group, call('sub'), loop, poll as unknown as PlanStep];
const plan: Plan = { ...examplePlan(), steps };

describe('the suggestion after a failure', () => {
  test.each([
    ['t-1', 'publish', '--from publish'],
    ['t-1', 'publish.undo', '--from publish'],
    ['t-1', 'group/inner', '--from inner'],
    ['t-1/sub', 'deep', '--from sub'],
    ['t-1/group/inner', 'deep', '--from group'],
    ['t-1/group/inner~2', 'deep', '--from group'],
  ])('for %s at %s is %s', (task, path, from) => {
    expect(wayOnFrom(plan, task, path)).toContain(`ability task retry t-1 ${from}`);
  });

  test('for a clean-up, or for a single operation, names no step', () => {
    expect(wayOnFrom(plan, 't-1', 'clean')).toMatch(/ability task retry t-1$/);
  });

  test('for a direct run contains no retry', () => {
    expect(wayOnFrom(plan, 'direct:1', 'run')).not.toContain('task retry');
  });
});

describe('a retry of a task', () => {
  const error = { step: 'inner', details: { path: 'group/inner' } };
  const ended = { task: 't-1', status: 'failed' as const, plan, error };

  test('begins at the failed step', () => {
    expect(wayToRetry(ended)).toEqual({ from: 'inner' });
  });

  test.each(['succeeded', 'unknown', 'expired', 'running', 'waiting_approval'] as const)(
    'is not offered for %s',
    (status) => {
      expect(wayToRetry({ ...ended, status })).toBeUndefined();
    },
  );

  test('is not offered for direct runs or for called tasks', () => {
    expect(wayToRetry({ ...ended, task: 'direct:1' })).toBeUndefined();
    expect(wayToRetry({ ...ended, task: 't-1/inner' })).toBeUndefined();
  });

  test.each(['loop/3/turn', 'loop'])(
    'after a failure at %s names the `foreach`, not a step of it, which would repeat what is done',
    (path) => {
      expect(wayToRetry({ ...ended, error: { step: 'turn', details: { path } } })).toEqual({
        from: null,
        foreach: 'loop',
      });
    },
  );

  test.each(['poll', 'poll/7/look', 'poll/2/each/1/one'])(
    'after a failure at %s begins at the `repeat`, whose turns start over',
    (path) => {
      expect(wayToRetry({ ...ended, error: { step: 'x', details: { path } } })).toEqual({ from: 'poll' });
    },
  );

  test('names no step of a clean-up, and none if the plan cannot be read', () => {
    expect(wayToRetry({ ...ended, error: { step: 'clean' } })).toEqual({ from: null });
    expect(wayToRetry({ ...ended, plan: undefined })).toEqual({ from: null });
  });

  test('after a failure in a called task begins at the call', () => {
    const called = { step: 'x', details: { task: 't-1/group/inner~2', path: 'x' } };
    expect(wayToRetry({ ...ended, error: called })).toEqual({ from: 'group' });
  });
});

test('a retry may begin at a step of the task, at any depth, but not at one of a clean-up or handler', () => {
  const tree = { ...plan, finally: [call('clean')], on_error: [{ steps: [call('handle')] }] };
  const ids = ['publish', 'inner', 'one', 'clean', 'handle', 'nothing'];
  expect(ids.filter((id) => canBeginAt(tree, id))).toEqual(['publish', 'inner', 'one']);
});

test('a script text that its input cannot produce is refused again, unless the definition is corrected first', () => {
  const about = { task: 't-1', status: 'failed' as const, plan };
  const refused = { code: 'input.invalid', step: 'publish', details: { place: 'args[0]', expression: 'input.host' } };
  expect(wayToRetry({ ...about, error: refused })).toEqual({ from: 'publish', corrected: true });
  expect(wayToRetry({ ...about, plan: undefined, error: refused })).toEqual({ from: null, corrected: true });
  expect(wayToRetry({ ...about, error: { ...refused, code: 'script.failed' } })).toEqual({ from: 'publish' });
});

test('a single operation that refuses the input of its task is not retried with the same input', () => {
  const refused = { code: 'input.invalid', details: { place: 'args[0]', expression: 'input.host' } };
  const alone = { ...plan, steps: [] };
  expect(wayToRetry({ task: 't-1', status: 'failed', plan: alone, error: refused })).toBeUndefined();
});
