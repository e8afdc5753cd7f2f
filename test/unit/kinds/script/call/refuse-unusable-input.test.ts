import { describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../../../../src/contracts/json.js';
import type { Plan, PlanScript } from '../../../../../src/contracts/plan.js';
import { refuseUnusableInput } from '../../../../../src/kinds/script/call/call-script.js';
import { errorOf } from '../../../error-of.js';
import { examplePlan } from '../../../rules/example-plan.js';

function planOf(args: PlanScript['args']): Plan {
  const plan = examplePlan();
  const script = { path: 'a.sh', interpreter: [], args, env: { set: {}, secrets: {} } };
  const operation = {
    key: 'op',
    input_schema: { properties: { host: {} } },
    implementation: { kind: 'script', script },
  };
  return { ...plan, ability: { ...plan.ability, id: 'op', kind: 'operation' }, operations: { op: operation } } as never;
}

const refusal = (args: PlanScript['args'], input: JsonObject) =>
  errorOf(() => refuseUnusableInput(planOf(args), input, 't-1'));

describe('before a task of a single script exists', () => {
  test.each<[string, Json]>([
    ['a list', ['a']],
    ['a map', { a: 1 }],
    ['text that begins with a dash', '-rf'],
  ])('%s as an argument is refused with its place', (_, host) => {
    expect(refusal([{ value: '${{ input.host }}' }], { host })).toMatchObject({
      code: 'input.invalid',
      details: { place: 'args[0]', expression: 'input.host' },
    });
  });

  test.each<[string, PlanScript['args'], JsonObject]>([
    ['a plain text', [{ value: '${{ input.host }}' }], { host: 'a' }],
    [
      'a file',
      [{ value: '${{ input.host }}' }],
      { host: { $file: 'a'.repeat(64), name: 'f', bytes: 1, media_type: 'text/plain' } },
    ],
    ['what stands behind dashes', ['--', { value: '${{ input.host }}' }], { host: '-a' }],
    ['what only the call refuses', [{ value: '${{ input.no.such }}' }], {}],
  ])('%s passes', (_, args, input) => {
    expect(() => refuseUnusableInput(planOf(args), input, 't-1')).not.toThrow();
  });

  test('the key of the task is an argument like any other, and is absent in a direct run', () => {
    const args = [{ value: '${{ task.key }}' }];
    expect(errorOf(() => refuseUnusableInput(planOf(args), {}, '-t')).code).toBe('input.invalid');
    expect(() => refuseUnusableInput(planOf(args), {}, `direct:${'0'.repeat(36)}`)).not.toThrow();
  });

  test('a workflow has no arguments that could be refused', () => {
    const plan = planOf([{ value: '${{ input.host }}' }]);
    const workflow = { ...plan, ability: { ...plan.ability, kind: 'workflow' } } as Plan;
    expect(() => refuseUnusableInput(workflow, { host: ['a'] }, 't-1')).not.toThrow();
  });
});
