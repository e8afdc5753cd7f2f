import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { AgentLeft, ModelRequest } from '../../../../../src/contracts/agent.js';
import type { Plan, PlanModel } from '../../../../../src/contracts/plan.js';
import {
  type Answer,
  type RecordingService,
  send,
  startService,
} from '../../../../fixtures/servers/recording-service.js';
import { errorOfAsync } from '../../../error-of.js';
import { agentPlan, askTurn, LEFT, type TurnOptions } from './asked-model.js';
import { CHAT_PATH, delta, end, streamed } from './streamed-answer.js';

const NUMBERS = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };

/** The answer to a turn in which the model returns this. */
const answered = async (output: TurnOptions['output'], plan?: Plan) =>
  (await askTurn({ output: output ?? {}, ...(plan && { plan }) })).answer;

test('only agents can call a model', async () => {
  const { agent: _, ...plan } = agentPlan();
  await expect(askTurn({ plan, output: {} })).rejects.toThrow(TypeError);
});

test('a turn is marked as begun before the model is called', async () => {
  const refused = new Error('no room for a mark');
  await expect(askTurn({ output: 'no answer', call: { begin: () => Promise.reject(refused) } })).rejects.toBe(refused);
});

describe('the answer of an agent', () => {
  test.each([
    ['is its text without a schema', 'All done. ', null, 'All done. '],
    ['is JSON that fits its schema', '{"n":1}', NUMBERS, { n: 1 }],
    ['may stand between fences', '\n```json\n{"n":2}\n```\n', NUMBERS, { n: 2 }],
    ['may stand between fences without a language', '```\n{"n":3}\n```', NUMBERS, { n: 3 }],
  ])('%s', async (_, text, schema, answer) => {
    const given = await answered({ text }, agentPlan(schema));
    expect(given.answer).toEqual(answer);
    expect(given).not.toHaveProperty('unusable');
    expect(given).not.toHaveProperty('calls');
  });

  test.each([
    ['if it is empty', ' \n', null, 'empty'],
    ['if it is no JSON', 'n = 1', NUMBERS, 'no JSON'],
    ['if it does not match its schema', '{"n":"x"}', NUMBERS, 'does not match its schema'],
    ['with a key that reaches into a prototype', '{"__proto__":{}}', {}, '__proto__'],
  ])('cannot be used %s', async (_, text, schema, reason) => {
    const given = await answered({ text }, agentPlan(schema));
    expect(given.unusable).toContain(reason);
    expect(given).not.toHaveProperty('answer');
  });

  test('is refused with a reason of bounded length', async () => {
    const schema = { type: 'object', required: Array.from({ length: 5 }, (_, n) => `${n}${'x'.repeat(300)}`) };
    expect((await answered({ text: '{}' }, agentPlan(schema))).unusable?.length).toBe(501);
  });
});

describe('the calls of a turn', () => {
  test('are returned with their input, and are not an answer', async () => {
    const given = await answered({ calls: [{ id: 'c', name: 'db_write', arguments: { n: 1 } }] });
    expect(given.calls).toEqual([{ id: 'c', tool: 'db_write', input: { n: 1 } }]);
    expect(given).not.toHaveProperty('answer');
    expect(given).not.toHaveProperty('unusable');
    expect(given).not.toHaveProperty('text');
  });

  test('come with the accompanying text, up to 1000 characters', async () => {
    const calls = [{ name: 'db_write' }];
    expect((await answered({ text: 'I write.', calls })).text).toBe('I write.');
    expect((await answered({ text: 'x'.repeat(1001), calls })).text).toBe('x'.repeat(1000));
  });

  test('have unique ids, also in the transcript', async () => {
    const calls = ['a', 'a', 'b', 'a'].map((id) => ({ id, name: 'db_write', arguments: '{}' }));
    const { answer, transcript } = await askTurn({ output: { calls } });
    expect(answer.calls?.map(({ id }) => id)).toEqual(['a', 'a_1', 'b', 'a_3']);
    const [message] = transcript;
    expect(message?.role === 'assistant' && message.calls?.map(({ id }) => id)).toEqual(['a', 'a_1', 'b', 'a_3']);
  });

  test.each<[string, Partial<ModelRequest>]>([
    ['in the last turn', { left: { ...LEFT, turns: 1 } }],
    ['of a tool that the request leaves out', { tools: ['db_read'] }],
  ])('are refused %s', async (_, request) => {
    const { answer } = await askTurn({ request, output: { calls: [{ name: 'db_write' }] } });
    expect(answer.calls?.[0]?.problem?.code).toBe('agent.not_a_tool');
  });

  test('may be of a tool that the request names', async () => {
    const request = { tools: ['db_write'], left: { ...LEFT, turns: 2 } };
    const { answer } = await askTurn({ request, output: { calls: [{ name: 'db_write' }] } });
    expect(answer.calls?.[0]).not.toHaveProperty('problem');
  });
});

describe('the transcript', () => {
  test('has what is new in a request, followed by the answer of the model', async () => {
    const request = { input: { request: 'Count.' }, results: [{ id: 'c', content: '7' }], repair: 'It is no JSON.' };
    const { transcript } = await askTurn({ request, output: { text: 'Well.' } });
    expect(transcript).toEqual([
      { role: 'user', content: 'Count.' },
      { role: 'tool', id: 'c', content: '7' },
      { role: 'user', content: expect.stringContaining('cannot be used: It is no JSON. ') },
      { role: 'assistant', content: 'Well.' },
    ]);
  });

  test('continues where the last turn ended', async () => {
    const first = await askTurn({ request: { input: { request: 'a' } }, output: { text: 'b' } });
    const request = { head: first.answer.head, repair: 'no' };
    const second = await askTurn({ store: first.store, request, output: { text: 'c' } });
    expect(second.transcript.map(({ content }) => content)).toEqual(['a', 'b', expect.any(String), 'c']);
  });
});

describe('the usage of a turn', () => {
  const price = { input: 2, output: 3 };
  const usage = { input_tokens: 1_000_000, output_tokens: 2_000_000 };

  test('is what the model reports, with its cost', async () => {
    const { answer } = await askTurn({ output: { text: 'a', usage }, model: { price } });
    expect(answer.usage).toEqual({ ...usage, cost: 8 });
  });

  test('has no cost without a price', async () => {
    expect((await answered({ text: 'a', usage })).usage).toEqual(usage);
  });

  test('is estimated from the length of the texts if the model reports none', async () => {
    const calls = [{ name: 'db_write', arguments: `{"n":"${'x'.repeat(792)}"}` }];
    const { answer } = await askTurn({ output: { text: 'y'.repeat(92), calls }, model: { price } });
    // 92 characters of text, 8 of the name and 800 of the arguments.
    expect(answer.usage).toMatchObject({ output_tokens: 225, estimated: true });
    const { input_tokens: input, cost } = answer.usage;
    expect(cost).toBeCloseTo((input * 2 + 225 * 3) / 1e6, 12);
  });
});

function withInstructions(instructions: string): Plan {
  const plan = agentPlan();
  return { ...plan, agent: { ...plan.agent, instructions } } as Plan;
}

describe('a request to an endpoint', () => {
  let service: RecordingService;
  beforeAll(async () => {
    service = await startService();
  });
  afterAll(() => service.stop());

  const DONE = streamed(delta({ content: 'done' }), end());
  const ask = async ({ answer = DONE, ...turn }: TurnOptions & { answer?: Answer } = {}) => {
    service.on(CHAT_PATH, answer);
    const before = service.requestsOf(CHAT_PATH).length;
    const env = { OPENAI_BASE_URL: `${service.origin}/v1`, OPENAI_API_KEY: 'k' };
    const result = await askTurn({ ...turn, env });
    const requests = service.requestsOf(CHAT_PATH).slice(before);
    return { ...result, request: JSON.parse(requests.at(-1)?.body ?? 'null') };
  };
  const request = { input: { request: 'Count.' } };
  const toolsIn = ({ tools = [] }: { tools?: { function: { name: string } }[] }) =>
    tools.map((one) => one.function.name);

  test('has the instructions, the transcript and the note, and gives the answer of the agent', async () => {
    const { answer, request: sent } = await ask({ request });
    expect(sent.messages).toEqual([
      { role: 'system', content: expect.stringMatching(/^Be kind\./) },
      { role: 'user', content: 'Count.' },
      { role: 'user', content: expect.stringContaining('3 turns with this one, 5 calls, 60 s of work.') },
    ]);
    expect(toolsIn(sent)).toEqual(['db_write', 'db_read']);
    expect(sent).not.toHaveProperty('max_completion_tokens');
    expect(answer.answer).toBe('done');
  });

  test('offers the tools that the request names, and none in the last turn', async () => {
    expect(toolsIn((await ask({ request: { ...request, tools: ['db_read'] } })).request)).toEqual(['db_read']);
    const { request: last } = await ask({ request: { ...request, left: { ...LEFT, turns: 1 } } });
    expect(last).not.toHaveProperty('tools');
    expect(toolsIn((await ask({ request: { ...request, left: { ...LEFT, turns: 2 } } })).request)).toHaveLength(2);
  });

  test('is estimated from all of its characters', async () => {
    const { answer, request: sent } = await ask({ request });
    const [instructions, first, note] = sent.messages.map(({ content }: { content: string }) => content.length);
    const tools = JSON.stringify(sent.tools.map((tool: { function: object }) => tool.function)).length;
    // Each message counts 16 additional characters.
    expect(answer.usage.input_tokens).toBe(Math.ceil((instructions + first + 16 + note + tools) / 4));
  });

  test('leaves out the oldest messages that do not fit into nine tenths of the context, and states how many', async () => {
    const { store, answer } = await askTurn({ output: { text: 'y'.repeat(384) }, request });
    let { head } = answer;
    for (let turn = 0; turn < 12; turn += 1) {
      head = (await askTurn({ store, output: { text: 'y'.repeat(384) }, request: { head } })).answer.head;
    }
    const next = (context_tokens: number) => ask({ store, request: { head, repair: 'no' }, model: { context_tokens } });
    const whole = await next(100_000);
    expect(whole.request.messages).toHaveLength(1 + 15 + 1);
    const needed = whole.answer.usage.input_tokens / 0.9;
    expect((await next(needed + 3)).request.messages).toHaveLength(1 + 15 + 1);
    const { messages } = (await next(needed - 3)).request;
    expect(messages).toHaveLength(1 + 14 + 1);
    expect(messages.at(-1).content).toContain('1 earlier messages are left out');
  });

  describe('limits its answer', () => {
    const limited = async (left: Partial<AgentLeft>, model: Partial<PlanModel> = {}, answer = DONE) =>
      ask({
        request: { ...request, left: { ...LEFT, ...left } },
        model,
        answer,
        plan: withInstructions('x'.repeat(4000)),
      });
    /** Tokens of the request, as estimated. */
    const estimate = async (left: Partial<AgentLeft> = {}) => (await limited(left)).answer.usage.input_tokens;

    test('to the tokens that are left', async () => {
      const input = await estimate({ tokens: 5000 });
      const { request: sent } = await limited({ tokens: 5000 });
      expect(sent.max_completion_tokens).toBe(5000 - input);
    });

    test('to what the remaining cost allows', async () => {
      const input = await estimate({ cost: 0.01 });
      const { request: sent } = await limited({ cost: 0.01 }, { price: { input: 2, output: 4 } });
      expect(sent.max_completion_tokens).toBe(Math.floor((10_000 - input * 2) / 4));
    });

    test.each<[string, Partial<AgentLeft>, Partial<PlanModel>]>([
      ['of a cost without a price', { cost: 0.01 }, {}],
      ['of a price without a cost', {}, { price: { input: 2, output: 4 } }],
      ['of an answer that is free', { cost: 0.01 }, { price: { input: 2, output: 0 } }],
    ])('not because %s', async (_, left, model) => {
      expect((await limited(left, model)).request).not.toHaveProperty('max_completion_tokens');
    });

    test('to the smaller of both limits', async () => {
      const price = { input: 0, output: 1 };
      expect((await limited({ tokens: 5000, cost: 0.00001 }, { price })).request.max_completion_tokens).toBe(10);
      const both = await limited({ tokens: 5000, cost: 1 }, { price });
      expect(both.request.max_completion_tokens).toBeLessThan(5000);
    });

    test('to at least one token', async () => {
      const input = await estimate({ tokens: 9999 });
      expect((await limited({ tokens: input + 1 + 1000 })).request.max_completion_tokens).toBe(1001);
      const one = await limited({ tokens: input + 1 });
      expect(one.request.max_completion_tokens).toBe(1);
      await expect(limited({ tokens: input })).rejects.toMatchObject({ code: 'limit.max_tokens', isFinal: true });
    });

    test('to at least one token that the cost allows', async () => {
      const free = { input: 0, output: 1_000_000 };
      expect((await limited({ cost: 1 }, { price: free })).request.max_completion_tokens).toBe(1);
      await expect(limited({ cost: 0.9 }, { price: free })).rejects.toMatchObject({ code: 'limit.max_cost' });
      const expensive = { input: 1_000_000, output: 0 };
      await expect(limited({ cost: 1 }, { price: expensive })).rejects.toMatchObject({
        code: 'limit.max_cost',
        isFinal: true,
      });
    });

    test('and is not sent if its cost is all that is left', async () => {
      const input = await estimate({ cost: 1 });
      const price = { input: 1_000_000, output: 0 };
      await expect(limited({ cost: input }, { price })).rejects.toMatchObject({ code: 'limit.max_cost' });
    });
  });

  describe('that fails is counted', () => {
    const usageOf = async (answer: Answer) =>
      (await errorOfAsync(() => ask({ request, answer }))).details as object | undefined;
    const reported = { choices: [], usage: { prompt_tokens: 50, completion_tokens: 7 } };

    test.each([
      ['that was truncated', streamed(delta({ content: 'a' }, 'length'), reported)],
      ['that was filtered', streamed(end('content_filter'), reported)],
      ['that breaks off after its usage', streamed(delta({ content: 'a' }), reported)],
    ])('as the endpoint reported it, for an answer %s', async (_, answer) => {
      expect(await usageOf(answer)).toEqual({ usage: { input_tokens: 50, output_tokens: 7 } });
    });

    test('by what has arrived of an answer that breaks off', async () => {
      const call = { index: 0, function: { name: 'n'.repeat(40), arguments: '' } };
      const details = await usageOf(streamed(delta({ content: 'x'.repeat(400) }), delta({ tool_calls: [call] })));
      expect(details).toMatchObject({ usage: { output_tokens: 110, estimated: true } });
      expect((details as { usage: { input_tokens: number } }).usage.input_tokens).toBeGreaterThan(100);
    });

    test('not if the endpoint gave no answer', async () => {
      expect(await usageOf(send(503, 'text/plain', ''))).toEqual({});
      expect(await usageOf(send(401, 'text/plain', ''))).toBeUndefined();
    });
  });

  describe('whose answer is truncated', () => {
    const cut = (output?: number) =>
      streamed(
        delta({ content: 'a' }, 'length'),
        ...(output === undefined ? [] : [{ choices: [], usage: { prompt_tokens: 5, completion_tokens: output } }]),
      );
    const price = { input: 0, output: 1 };

    test.each<[string, Partial<AgentLeft>, number | undefined, string]>([
      ['by the token limit of the agent', { tokens: 100_000 }, 100_000, 'limit.max_tokens'],
      ['by its token limit, if the usage is unknown', { tokens: 100_000 }, undefined, 'limit.max_tokens'],
      ['by its cost limit', { cost: 0.00001 }, 10, 'limit.max_cost'],
      ['by the model itself, before the limit', { cost: 0.00001 }, 9, 'model.answer_broken'],
      ['by the model itself, without a limit', {}, 9, 'model.answer_broken'],
    ])('%s fails without a retry', async (_, left, output, code) => {
      const turn = { request: { ...request, left: { ...LEFT, ...left } }, model: { price }, answer: cut(output) };
      await expect(ask(turn)).rejects.toMatchObject({ code, isFinal: true });
    });
  });
});
