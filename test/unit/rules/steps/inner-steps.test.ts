import { expect, test } from 'vitest';
import type { PlanStep } from '../../../../src/contracts/plan.js';
import { allSteps, listSteps } from '../../../../src/rules/steps/step-tree.js';

const end = (id: string, more: Partial<PlanStep> = {}): PlanStep =>
  ({ id, verb: 'end', end: { output: null }, ...more }) as PlanStep;
const paths = (...steps: PlanStep[]): string[] => listSteps(steps).map(({ path }) => path);

test.each<[string, PlanStep, string[]]>([
  ['a group', { id: 'a', verb: 'steps', steps: [end('b')] }, ['a', 'a/b']],
  ['branches', { id: 'a', verb: 'parallel', branches: [end('b'), end('c')] }, ['a', 'a/b', 'a/c']],
  ['a race', { id: 'a', verb: 'race', branches: [end('b')] }, ['a', 'a/b']],
  [
    'cases',
    { id: 'a', verb: 'switch', cases: [{ if: 'true', steps: [end('b')] }, { steps: [end('c')] }] },
    ['a', 'a/b', 'a/c'],
  ],
  [
    'the turns of a loop, and what stands outside them',
    {
      id: 'a',
      verb: 'foreach',
      foreach: { list: [1] },
      as: 'x',
      max_parallel: 1,
      steps: [end('b')],
      on_error: [{ steps: [end('c')] }],
      finally: [end('d')],
    },
    ['a', 'a/*/b', 'a/c', 'a/d'],
  ],
  [
    'a loop in a loop',
    {
      id: 'a',
      verb: 'repeat',
      repeat: { until: 'true', every: '0s', max: 1 },
      steps: [{ id: 'b', verb: 'foreach', foreach: { list: [1] }, as: 'x', max_parallel: 1, steps: [end('c')] }],
    },
    ['a', 'a/*/b', 'a/*/b/*/c'],
  ],
  ['a step with nothing inside', end('a'), ['a']],
])('the steps inside %s have the paths at which they run', (_, step, expected) => {
  expect(paths(step)).toEqual(expected);
});

test('handlers of the workflow run between its steps and its clean-up', () => {
  const tree = { steps: [end('a')], on_error: [{ steps: [end('b')] }], finally: [end('c')] };
  expect(allSteps(tree).map(({ path }) => path)).toEqual(['a', 'b', 'c']);
});
