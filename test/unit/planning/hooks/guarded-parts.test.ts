import { expect, test } from 'vitest';
import { guardedParts } from '../../../../src/planning/hooks/hook-parts.js';
import { examplePlan } from '../../rules/example-plan.js';

test('creation guards are consulted about a workflow with its input, and about each ability that it may call', () => {
  const plan = examplePlan();
  const { ability, limits, steps } = plan;
  const child = { ability: { ...ability, id: 'billing' }, steps, finally: [], limits };
  const parts = guardedParts({ ...plan, workflows: { billing: child } }, { name: 'ada' });
  expect(
    parts.map(({ plan: { ability: about }, operation, path, input }) => [about.id, operation?.key, path, input]),
  ).toEqual([
    ['signup', undefined, '', { name: 'ada' }],
    ['billing', undefined, 'billing', {}],
    ['signup', 'db.write', 'db.write', {}],
  ]);
});

test('for a single operation they are consulted about it, with its input', () => {
  const plan = examplePlan();
  const parts = guardedParts(
    { ...plan, ability: { ...plan.ability, id: 'db.write', kind: 'operation' } },
    { name: 'ada' },
  );
  expect(parts.map(({ operation, path, input }) => [operation?.key, path, input])).toEqual([
    ['db.write', '', { name: 'ada' }],
  ]);
});
