import { expect, test } from 'vitest';
import type { Plan } from '../../../../src/contracts/plan.js';
import { childPlan } from '../../../../src/rules/plans/child-plan.js';
import { recordPath } from '../../../../src/rules/tasks/task-ids.js';
import { errorOf } from '../../error-of.js';
import { examplePlan } from '../example-plan.js';

function root(): Plan {
  const plan = examplePlan();
  const { limits, ability } = plan;
  const child = { ability: { ...ability, id: 'child' }, steps: [], finally: [], limits: { ...limits, task_ms: 7 } };
  return { ...plan, output: 'of the root', on_error: [{ steps: [] }], workflows: { child } };
}

test('a child has its own steps, limits and output, with the operations and environment of the root', () => {
  const plan = root();
  const child = childPlan(plan, 'child');
  expect(child).toMatchObject({ ability: { id: 'child' }, limits: { task_ms: 7 }, environment: { name: 'staging' } });
  expect(child.operations).toBe(plan.operations);
  expect(child).not.toHaveProperty('output');
  expect(child).not.toHaveProperty('on_error');
});

test('the same child of the same plan is the same object', () => {
  const plan = root();
  expect(childPlan(plan, 'child')).toBe(childPlan(plan, 'child'));
});

test.each(['other', 'toString'])('%s, which was not planned, is refused', (id) => {
  expect(errorOf(() => childPlan(root(), id)).code).toBe('seal.invalid');
});

test.each([
  ['key', ['key']],
  ['key/billing', ['key', 'children', 'billing']],
  ['key/each/3/billing', ['key', 'children', 'each', '3', 'billing']],
])('the record of %s is in the folder of the task that called it', (task, path) => {
  expect(recordPath(task)).toEqual(path);
});
