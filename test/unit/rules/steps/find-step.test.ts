import { expect, test } from 'vitest';
import type { PlanStep } from '../../../../src/contracts/plan.js';
import { findStep } from '../../../../src/rules/steps/step-tree.js';
import { examplePlan } from '../example-plan.js';

const call = (id: string, more: Partial<PlanStep> = {}): PlanStep =>
  ({ id, verb: 'call', call: 'db.write', with: {}, ...more }) as PlanStep;

const plan = examplePlan(
  [
    call('seed', { finally: [call('tidy')] }),
    { id: 'group', verb: 'steps', steps: [call('inner'), { id: 'both', verb: 'parallel', branches: [call('left')] }] },
  ],
  [call('cleanup')],
);

test.each([
  ['seed', 'seed'],
  ['seed/tidy', 'tidy'],
  ['group', 'group'],
  ['group/inner', 'inner'],
  ['group/both', 'both'],
  ['group/both/left', 'left'],
  ['cleanup', 'cleanup'],
])('the path %s leads to the step %s', (path, id) => {
  expect(findStep(plan, path)?.id).toBe(id);
});

test('the task itself and an unknown path lead to no step', () => {
  expect(findStep(plan, '')).toBeUndefined();
  expect(findStep(plan, 'group/nothing')).toBeUndefined();
});
