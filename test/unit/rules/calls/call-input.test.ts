import { expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/contracts/json.js';
import type { PlanOperation } from '../../../../src/contracts/plan.js';
import { hide } from '../../../../src/planning/preview/partial-evaluation.js';
import { callInput } from '../../../../src/rules/calls/call-defaults.js';
import { lowLevel, resolved, SCRIPT_FILE } from '../../temporary-project.js';

function operation(): PlanOperation {
  const files = lowLevel(
    'op',
    'input_schema: { type: object, properties: { target: { type: string, default: test }, count: { type: integer, default: 1 }, note: { type: string } } }',
    'implementation:\n  kind: script\n  script: { path: scripts/any.mjs }\n  defaults: { target: prod }',
  );
  const { op } = resolved({ ...SCRIPT_FILE, ...files }, 'op').plan.operations;
  if (!op) throw new Error('the plan has no such operation');
  return op;
}

const inputOf = (given: JsonObject) => callInput(operation(), given);

test('R-000-46: passed values override the parameters of the implementation, and those override the defaults of the schema', () => {
  expect(inputOf({})).toEqual({ target: 'prod', count: 1 });
  expect(inputOf({ target: 'dev', note: 'x' })).toEqual({ target: 'dev', count: 1, note: 'x' });
  expect(inputOf({ target: null })).toEqual({ target: null, count: 1 });
});

test('a property without a default adds no member', () => {
  expect(Object.keys(inputOf({}))).toEqual(['target', 'count']);
});

test('a hidden member stays hidden and gets no default', () => {
  const given: JsonObject = {};
  hide(given, 'target', 'steps.a');
  const input = inputOf(given);
  expect(() => input.target).toThrow('steps.a is known only when it runs');
  expect(input.count).toBe(1);
});
