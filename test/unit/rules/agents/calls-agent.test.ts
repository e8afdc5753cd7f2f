import { expect, test } from 'vitest';
import type { Plan } from '../../../../src/contracts/plan.js';
import { callsAgent } from '../../../../src/rules/agents.js';
import { examplePlan } from '../example-plan.js';

const workflow = (...steps: object[]) => ({ steps, finally: [] });
const call = (ability: string, more: object = {}) => ({ id: 'a', verb: 'call', call: ability, with: {}, ...more });

const plan = {
  ...examplePlan(),
  workflows: {
    assistant: { ...workflow(), agent: {} },
    direct: workflow(call('db.write'), call('assistant')),
    indirect: workflow({ id: 'g', verb: 'steps', steps: [call('direct')] }),
    undoing: workflow(call('db.write', { undo: { call: 'assistant', with: {} } })),
    plain: workflow(call('db.write'), { id: 'n', verb: 'let', let: { call: 'assistant' } }),
    one: workflow(call('other')),
    other: workflow(call('one')),
  },
} as unknown as Plan;

test.each([
  ['assistant', true],
  ['direct', true],
  ['indirect', true],
  ['undoing', true],
  ['plain', false],
  ['one', false],
  ['db.write', false],
  ['toString', false],
  [undefined, false],
])('%s is an agent or calls one: %s', (ability, is) => {
  expect(callsAgent(plan, ability)).toBe(is);
});

test('a plan without workflows calls none', () => {
  expect(callsAgent(examplePlan(), 'assistant')).toBe(false);
});
