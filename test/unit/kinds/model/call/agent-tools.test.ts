import { describe, expect, test } from 'vitest';
import type { Plan, PlanTool } from '../../../../../src/contracts/plan.js';
import { readCalls, shownTools } from '../../../../../src/kinds/model/call/call-model.js';

const tool: PlanTool = { name: 'text_count', ability: 'text.count', summary: 'Counts.', effects: 'read' };
const other: PlanTool = { name: 'mail_send', ability: 'mail.send', summary: 'Sends.', effects: 'write_idempotent' };
const helper: PlanTool = { name: 'help_me', ability: 'help.me', summary: 'Helps.', effects: 'write_idempotent' };
const lost: PlanTool = { name: 'lost', ability: 'lost.one', summary: 'Is lost.', effects: 'read' };
const schema = { type: 'object', properties: { n: { type: 'integer', default: 1 } }, additionalProperties: false };
const plan = {
  engine: 1,
  agent: { tools: [other, tool] },
  operations: { 'text.count': { input_schema: schema } },
  workflows: {
    'mail.send': { ability: { input_schema: schema } },
    'help.me': { ability: { input_schema: schema }, agent: { tools: [] } },
  },
} as unknown as Plan;
const problemOf = (name: string, offered: PlanTool[]) =>
  readCalls([{ id: 'a', name, arguments: '{}' }], offered, plan)[0]?.problem;
const read = (text: string, called = tool) => {
  const [call] = readCalls([{ id: 'a', name: called.name, arguments: text }], [tool, other, helper, lost], plan);
  return call;
};

test('a tool of the agent that is not offered now is not reported as unknown', () => {
  const { code, message, suggestion } = problemOf('text_count', []) ?? {};
  expect({ code, message, suggestion }).toEqual({
    code: 'agent.not_a_tool',
    message: 'text_count is not offered in this turn',
    suggestion: 'Answer with what you have.',
  });
});

test('if other tools are offered, the agent is referred to them', () => {
  expect(problemOf('text_count', [other])?.suggestion).toBe('Use one of the tools that you are given.');
});

test('a tool that the agent does not have is unknown, with the nearest one that is offered', () => {
  expect(problemOf('text_cout', [tool])).toMatchObject({
    message: 'There is no tool text_cout',
    suggestion: expect.stringContaining('text_count'),
  });
});

test('for an unknown tool that resembles none, the agent may answer without it', () => {
  expect(problemOf('zzz', [tool])?.suggestion).toContain('say that it cannot be done');
});

test('the name of an unknown tool is truncated', () => {
  const [call] = readCalls([{ id: 'a', name: 'x'.repeat(500), arguments: '{}' }], [tool], plan);
  expect(call).toMatchObject({ id: 'a', tool: 'x'.repeat(100), input: {} });
  expect(call?.problem?.message).toHaveLength('There is no tool '.length + 100);
});

describe('the arguments of a call', () => {
  test.each([
    ['an object', '{"n":2}', { n: 2 }],
    ['nothing, with the defaults of the schema', ' ', { n: 1 }],
  ])('may be %s', (_, text, input) => {
    expect(read(text)).toEqual({ id: 'a', tool: 'text_count', input });
  });

  test.each([
    ['no JSON', '{"n":', 'no JSON'],
    ['no object', '[1]', 'no object'],
    ['input that its schema refuses', '{"n":"x"}', 'The input of text.count'],
    ['input for other agents, as it is none', '{"delegate_operations":[]}', 'The input of text.count'],
  ])('may not be %s', (_, text, reason) => {
    const call = read(text);
    expect(call).toMatchObject({ tool: 'text_count', input: {}, problem: { code: 'input.invalid' } });
    expect(call?.problem?.message).toContain(reason);
  });

  test('are checked by the schema of a called workflow', () => {
    expect(read('{"n":3}', other)?.input).toEqual({ n: 3 });
    expect(read('{"m":3}', other)?.problem?.message).toContain('The input of mail.send');
  });

  test('may be any object if the plan does not have the schema of the ability', () => {
    expect(read('{"any":1}', lost)?.input).toEqual({ any: 1 });
  });

  test('may have no unsafe key, whatever the schema allows', () => {
    expect(read('{"__proto__":{}}', lost)).toMatchObject({ input: {}, problem: { code: 'input.invalid' } });
  });

  test('may limit what a called agent may call, in addition to its input', () => {
    expect(read('{"n":2,"delegate_operations":["a.b"]}', helper)?.input).toEqual({
      n: 2,
      delegate_operations: ['a.b'],
    });
    expect(read('{"n":2}', helper)?.input).toEqual({ n: 2 });
  });
});

describe('a tool that is shown to a model', () => {
  test('has its name, its ability with its effects, and the schema of its input', () => {
    expect(shownTools([tool], plan)).toEqual([
      { name: 'text_count', description: 'Counts. (text.count; effects: read)', parameters: schema },
    ]);
  });

  test('has a further field if it is an agent', () => {
    const [shown] = shownTools([helper], plan);
    expect(shown?.parameters).toEqual({
      ...schema,
      properties: { ...schema.properties, delegate_operations: expect.objectContaining({ type: 'array' }) },
    });
  });

  test('takes any object if the plan does not have its schema', () => {
    expect(shownTools([lost], plan)[0]?.parameters).toEqual({ type: 'object' });
  });
});
