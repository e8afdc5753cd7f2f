import { expect, test } from 'vitest';
import { readCalls } from '../../../../src/activities/model/agent-tools.js';
import type { Plan, PlanTool } from '../../../../src/contracts/plan.js';

const tool: PlanTool = { name: 'text_count', ability: 'text.count', summary: 'Counts.', effects: 'read' };
const plan = { agent: { tools: [tool] }, operations: {} } as unknown as Plan;
const problemOf = (name: string, offered: PlanTool[]) =>
  readCalls([{ id: 'a', name, arguments: '{}' }], offered, plan)[0]?.problem;

test('a tool of the agent that is not offered now is not said to be unknown', () => {
  const { code, message, suggestion } = problemOf('text_count', []) ?? {};
  expect({ code, message, suggestion }).toEqual({
    code: 'agent.not_a_tool',
    message: 'text_count is not offered in this turn',
    suggestion: 'Answer with what you have.',
  });
});

test('one that the agent does not have is, with the nearest that is offered', () => {
  expect(problemOf('text_cout', [tool])).toMatchObject({
    message: 'There is no tool text_cout',
    suggestion: expect.stringContaining('text_count'),
  });
});
