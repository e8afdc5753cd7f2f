import { describe, expect, test } from 'vitest';
import type { Plan, PlanStep } from '../../../src/contracts/plan.js';
import { wayOnFrom } from '../../../src/rules/way-on.js';
import { examplePlan } from './example-plan.js';

describe('the way on', () => {
  const call = (id: string): PlanStep => ({ id, verb: 'call', call: 'op', with: {} }) as unknown as PlanStep;
  const group = { id: 'group', verb: 'steps', steps: [call('inner')] } as unknown as PlanStep;
  const plan: Plan = { ...examplePlan(), steps: [call('publish'), group, call('sub')] };

  test.each([
    ['t-1', 'publish', '--from publish'],
    ['t-1', 'publish.undo', '--from publish'],
    ['t-1', 'group/inner', '--from inner'],
    ['t-1/sub', 'deep', '--from sub'],
    ['t-1/group/inner', 'deep', '--from group'],
    ['t-1/group/inner~2', 'deep', '--from group'],
  ])('of %s at %s is %s', (task, path, from) => {
    expect(wayOnFrom(plan, task, path)).toContain(`ability task retry t-1 ${from}`);
  });

  test('of a clean-up, or of an operation alone, names no step', () => {
    expect(wayOnFrom(plan, 't-1', 'clean')).toMatch(/ability task retry t-1$/);
  });

  test('of a direct run is none', () => {
    expect(wayOnFrom(plan, 'direct:1', 'run')).not.toContain('task retry');
  });
});
