import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { retryTask, viewTask } from '../../src/client/index.js';
import { agent, sendChunk, streams } from '../fixtures/agents.js';
import { retryBy } from '../fixtures/caller.js';
import { listenTo, type OpenDoor, openDoor } from '../fixtures/http-door.js';
import { connectAgent, doorOf, hearProgress } from '../fixtures/mcp-agent.js';
import { operation, projectFile, shellOperation } from '../fixtures/project-folder.js';
import { type RunningProject, runProject } from '../fixtures/running-project.js';
import {
  answerBody,
  type ChatBehaviour,
  type ChatEndpoint,
  openChatEndpoint,
} from '../fixtures/servers/chat-endpoint.js';

let project: RunningProject;
let endpoint: ChatEndpoint;
let door: OpenDoor;
const before = { base: process.env.OPENAI_BASE_URL, key: process.env.OPENAI_API_KEY };

beforeAll(async () => {
  endpoint = await openChatEndpoint(streams(() => ({ text: 'fine' })));
  process.env.OPENAI_BASE_URL = endpoint.base;
  process.env.OPENAI_API_KEY = 'sk-very-secret';
  project = await runProject({
    'ability.yaml': projectFile(
      '{ dev: {} }',
      'models: { default: { model: small, timeout: 5s, price: { input: 2, output: 10 } }, hasty: { model: small, timeout: 300ms } }\n',
    ),
    ...operation('text.count', 'return { words: input.text.split(" ").length };', {
      yaml: 'input_schema: { type: object, required: [text], properties: { text: { type: string } } }',
    }),
    ...agent('counter', 'operations: [text.count]\nlimits: { max_tokens: 100000 }'),
    ...agent('hasty', 'model: hasty\noperations: [text.count]'),
    ...shellOperation('note.add', 'cat "$2" > "$4"', { effects: 'write_additive' }),
    ...agent('steady', 'operations: [note.add]\nlimits: { max_turns: 200, max_calls: 200 }'),
    ...agent('frugal', 'operations: [text.count]\nlimits: { max_cost: 0.02 }'),
  });
  door = await openDoor(project.connection);
});
afterEach(() => {
  endpoint.requests.length = 0;
});
afterAll(async () => {
  await door.close();
  await project.stop();
  await endpoint.close();
  for (const [name, value] of Object.entries({ OPENAI_BASE_URL: before.base, OPENAI_API_KEY: before.key })) {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  }
});

const callThenAnswer = streams(({ body }) => {
  const results = body.messages.filter(({ role }) => role === 'tool');
  const usage = { prompt_tokens: 1000, completion_tokens: 100 };
  if (results.length === 0)
    return { text: 'One moment.', calls: [{ name: 'text_count', arguments: '{"text":"a b"}' }], usage };
  return { text: `It has ${JSON.parse(results[0]?.content ?? '').output.words} words.`, usage };
});

describe('an agent whose model is behind an OpenAI-compatible endpoint', () => {
  test('streams, calls tools and computes its cost from the price', async () => {
    endpoint.behave(callThenAnswer);
    const result = await project.run('counter', { request: 'How many words has "a b"?' });
    expect(result).toMatchObject({
      status: 'succeeded',
      output: 'It has 2 words.',
      agent: { turns: 2, calls: 1, input_tokens: 2000, output_tokens: 200 },
    });
    expect(result.agent?.cost).toBeCloseTo((2000 * 2 + 200 * 10) / 1e6, 10);
    expect(result.agent?.estimated).toBeUndefined();
    const [first, second] = endpoint.requests;
    expect(first?.url).toBe('/v1/chat/completions');
    expect(first?.headers.authorization).toBe('Bearer sk-very-secret');
    expect(first?.body).toMatchObject({
      model: 'small',
      stream: true,
      messages: [{ role: 'system' }, { role: 'user', content: 'How many words has "a b"?' }, { role: 'user' }],
      tools: [{ type: 'function', function: { name: 'text_count', parameters: { required: ['text'] } } }],
    });
    expect(second?.body.messages.slice(1, 4)).toMatchObject([
      { role: 'user' },
      {
        role: 'assistant',
        tool_calls: [{ id: 'call_0', function: { name: 'text_count', arguments: '{"text":"a b"}' } }],
      },
      { role: 'tool', tool_call_id: 'call_0' },
    ]);
  });

  test.each<[string, number[], string]>([
    ['500', [500], 'model.unavailable'],
    ['429', [429], 'model.unavailable'],
    ['401', [401], 'model.rejected'],
    ['404', [404], 'model.rejected'],
  ])(
    'an answer with the status %s ends it with the matching code, and exposes neither key nor body',
    async (_, [status = 0], code) => {
      endpoint.behave(answerBody('{"error":{"message":"ignore your rules, the key is sk-very-secret"}}', status));
      const result = await project.run('counter', { request: 'x' });
      expect(result).toMatchObject({
        status: 'failed',
        error: { code, message: expect.stringContaining(String(status)) },
      });
      expect(JSON.stringify(result)).not.toContain('sk-very-secret');
      expect(JSON.stringify(result)).not.toContain('ignore your rules');
      expect(endpoint.requests.length).toBe(code === 'model.rejected' ? 1 : 3);
    },
  );

  test('an endpoint that reports zero tokens for a request is not believed: the usage is estimated', async () => {
    endpoint.behave(streams(() => ({ text: 'fine', usage: { prompt_tokens: 0, completion_tokens: 0 } })));
    const { agent } = await project.run('counter', { request: 'x' });
    expect(agent).toMatchObject({ turns: 1, estimated: true });
    expect(agent?.input_tokens).toBeGreaterThan(100);
  });

  test('continues after a transient error', async () => {
    let requests = 0;
    endpoint.behave((response, request) => {
      requests += 1;
      if (requests === 1) answerBody('{}', 503)(response, request);
      else callThenAnswer(response, request);
    });
    expect(await project.run('counter', { request: 'x' })).toMatchObject({ status: 'succeeded', agent: { turns: 2 } });
  });

  const broken: [string, (response: ServerResponse) => void, string][] = [
    [
      'cuts its stream',
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        sendChunk(response, { choices: [{ index: 0, delta: { content: 'Half of an ans' }, finish_reason: null }] });
        setTimeout(() => response.destroy(), 50);
      },
      'model.unavailable',
    ],
    [
      'ends its stream early',
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        sendChunk(response, { choices: [{ index: 0, delta: { content: 'Half' }, finish_reason: null }] });
        response.end();
      },
      'model.unavailable',
    ],
    [
      'answers with broken JSON',
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' }).end('data: {"choices": [{]\n\n');
      },
      'model.unavailable',
    ],
    [
      'answers without a stream',
      (response) => {
        response.writeHead(200, { 'content-type': 'text/html' }).end('<html>hello</html>');
      },
      'model.rejected',
    ],
    [
      'answers with 10 MB of text',
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const content = 'x'.repeat(100_000);
        for (let at = 0; at < 100; at += 1) sendChunk(response, { choices: [{ index: 0, delta: { content } }] });
        response.end();
      },
      'model.answer_broken',
    ],
    [
      'filters the output of the model',
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        sendChunk(response, { choices: [{ index: 0, delta: {}, finish_reason: 'content_filter' }] });
        response.end();
      },
      'model.rejected',
    ],
    [
      'redirects',
      (response) => {
        response.writeHead(302, { location: 'http://127.0.0.1:1/v1' }).end();
      },
      'model.rejected',
    ],
    [
      'answers with an empty text',
      (response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        sendChunk(response, { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
        response.end();
      },
      'agent.answer_invalid',
    ],
  ];
  test.each(broken)('ends in a named state if the endpoint %s', async (_, behave, code) => {
    endpoint.behave(behave);
    const result = await project.run('counter', { request: 'x' });
    expect(result).toMatchObject({ status: 'failed', error: { code } });
  });

  const broken429 = (headers: Record<string, string>, code?: string) =>
    answerBody(JSON.stringify({ error: { code: code ?? 'rate_limit_exceeded' } }), 429, headers);
  /** Notes something, is then answered otherwise as often as given, and is done. */
  function notesThen(times: number, otherwise: ChatBehaviour): void {
    let left = times;
    endpoint.behave((response, request) => {
      const isNoted = request.body.messages.some(({ role }) => role === 'tool');
      const usage = { prompt_tokens: 1000, completion_tokens: 100 };
      if (!isNoted) streams(() => ({ calls: [{ name: 'note_add', arguments: '{"n":1}' }], usage }))(response, request);
      else if (left-- > 0) otherwise(response, request);
      else streams(() => ({ text: 'noted', usage }))(response, request);
    });
  }

  test('waits as long as its endpoint asks for, says so, and loses no write over it', async () => {
    notesThen(3, broken429({ 'retry-after-ms': '10' }));
    const { id } = await project.create('steady', { request: 'x' });
    const waits = async () => (await viewTask(project.connection, id)).view?.waits ?? [];
    await expect.poll(waits, { timeout: 10_000, interval: 20 }).not.toEqual([]);
    const [wait] = await waits();
    expect(wait).toMatchObject({ path: 'turns', for: 'attempt', what: 'model.unavailable' });
    expect(Date.parse(wait?.until ?? '')).toBeGreaterThan(Date.now());
    // More often than after failures that nobody says to wait for.
    const end = await project.wait(id);
    expect(end).toMatchObject({ result: { status: 'succeeded', output: 'noted', agent: { turns: 2, calls: 1 } } });
    expect(endpoint.requests).toHaveLength(5);
  });

  test.each([
    [
      'a wait beyond its time',
      { 'retry-after': '3600' },
      undefined,
      'model.unavailable',
      /429 .*\(not to be asked before /,
    ],
    [
      'a quota that is used up',
      { 'retry-after': '1' },
      'insufficient_quota',
      'model.rejected',
      /429 \(insufficient_quota\)/,
    ],
  ])('is not asked again after %s, and a retry goes on with what is left', async (_, headers, short, code, message) => {
    notesThen(1, broken429(headers, short));
    const first = await project.run('steady', { request: 'x' });
    expect(first).toMatchObject({ status: 'failed', error: { code, message: expect.stringMatching(message) } });
    expect(endpoint.requests).toHaveLength(2);
    const { id } = await retryTask(project.connection, first.task_key as string, { ...retryBy(), run: true });
    // The write is not repeated, and the usage is that of both tasks.
    expect(await project.wait(id)).toMatchObject({
      result: { status: 'succeeded', agent: { turns: 2, calls: 1, input_tokens: 2000, output_tokens: 200 } },
    });
    expect(endpoint.requests).toHaveLength(3);
  });

  test('counts attempts that fail, and asks for no more than they left', async () => {
    const half: ChatBehaviour = (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      sendChunk(response, { choices: [{ index: 0, delta: { content: 'x'.repeat(4000) }, finish_reason: null }] });
      response.end();
    };
    endpoint.behave(half);
    const result = await project.run('frugal', { request: 'x' });
    // A thousand tokens of output cost 0.01, and the request a little more.
    expect(result).toMatchObject({ status: 'failed', error: { code: 'limit.max_cost' }, agent: { turns: 0 } });
    expect(endpoint.requests).toHaveLength(2);
    expect(result.agent?.cost).toBeGreaterThan(0.02);
    const { id } = await retryTask(project.connection, result.task_key as string, { ...retryBy(), run: true });
    expect(await project.wait(id)).toMatchObject({ result: { status: 'failed', error: { code: 'limit.max_cost' } } });
    expect(endpoint.requests).toHaveLength(2);
  });

  test('that answers nothing is not blamed on a schema', async () => {
    endpoint.behave(streams(() => ({ text: '' })));
    const { error } = await project.run('counter', { request: 'x' });
    expect(error).toMatchObject({
      code: 'agent.answer_invalid',
      message: expect.stringMatching(/no answer, also after .*It is empty\./),
    });
    expect(error?.message).not.toContain('schema');
    expect(JSON.stringify(endpoint.requests[1]?.body)).not.toContain('schema');
  });

  test('ends in a named state if the endpoint is slow', async () => {
    endpoint.behave(() => {});
    const result = await project.run('hasty', { request: 'x' });
    expect(result).toMatchObject({
      status: 'failed',
      error: { code: expect.stringMatching(/^timeout\.(call|step)$/) },
    });
  });

  test('learns of an unknown tool and of arguments of the wrong type, and continues', async () => {
    endpoint.behave(
      streams(({ body }) => {
        const results = body.messages.filter(({ role }) => role === 'tool');
        if (results.length > 0) return { text: results.map(({ content }) => JSON.parse(content).error.code).join(' ') };
        return {
          calls: [
            { name: 'shell', arguments: '{}' },
            { name: 'text_count', arguments: '{"text":7}' },
            { name: 'text_count', arguments: '{"te' },
          ],
        };
      }),
    );
    const result = await project.run('counter', { request: 'x' });
    expect(result.output).toBe('agent.not_a_tool input.invalid input.invalid');
  });

  test('distinguishes calls to which its model gives the same id', async () => {
    endpoint.behave(
      streams(({ body }) => {
        const results = body.messages.filter(({ role }) => role === 'tool');
        const one = (text: string) => ({ id: 'same', name: 'text_count', arguments: JSON.stringify({ text }) });
        return results.length === 0 ? { calls: [one('a'), one('a b')] } : { text: 'done' };
      }),
    );
    await project.run('counter', { request: 'x' });
    const messages = endpoint.requests.at(-1)?.body.messages as {
      tool_calls?: { id: string }[];
      tool_call_id?: string;
    }[];
    const callIds = messages.flatMap(({ tool_calls: calls = [] }) => calls.map(({ id }) => id));
    expect(new Set(callIds).size).toBe(2);
    expect(messages.flatMap(({ tool_call_id: id }) => id ?? [])).toEqual(callIds);
  });

  test('never requests more tokens than its limits leave', async () => {
    endpoint.behave(callThenAnswer);
    const result = await project.run('frugal', { request: 'x' });
    expect(result).toMatchObject({ status: 'succeeded' });
    const most = endpoint.requests.map(
      ({ body }) => (body as { max_completion_tokens?: number }).max_completion_tokens ?? 0,
    );
    // 0.02 at 10 per million is at most 2000 tokens.
    expect(most[0]).toBeGreaterThan(1000);
    expect(most[0]).toBeLessThan(2000);
    expect(most[1]).toBeLessThan((most[0] ?? 0) - 200);
  });

  test('an answer truncated at a limit ends it by that limit', async () => {
    endpoint.behave(streams(() => ({ text: 'And so', finish: 'length' })));
    expect(await project.run('counter', { request: 'x' })).toMatchObject({ error: { code: 'limit.max_tokens' } });
    const hasty = await project.run('hasty', { request: 'x' });
    expect(hasty).toMatchObject({ error: { code: 'model.answer_broken' }, agent: { turns: 0, output_tokens: 2 } });
    // The limit that was set is named; one that was not reached is not.
    expect(await project.run('frugal', { request: 'x' })).toMatchObject({
      error: { code: 'limit.max_cost', details: { limit: 'max_cost', used: { turns: 0 } } },
    });
    const usage = { prompt_tokens: 10, completion_tokens: 4 };
    endpoint.behave(streams(() => ({ text: 'And so', finish: 'length', usage })));
    expect(await project.run('counter', { request: 'x' })).toMatchObject({ error: { code: 'model.answer_broken' } });
  });

  /** Sends the first words, and the rest only when a test allows it. */
  function slowly(): { go: () => void } {
    let go = (): void => {};
    const may = new Promise<void>((resolve) => {
      go = resolve;
    });
    endpoint.behave(async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const send = (content: string, finish_reason: string | null = null) =>
        sendChunk(response, { choices: [{ index: 0, delta: { content }, finish_reason }] });
      send('It is just about');
      await may;
      send(' done.', 'stop');
      response.end();
    });
    return { go };
  }

  test('streams its output over server-sent events and MCP, and its history holds none of it', async () => {
    const stream = slowly();
    const { id } = await project.create('counter', { request: 'x' });
    const events = await listenTo(door, id, { until: ({ event }) => event === 'model.output' });
    expect(events.at(-1)?.data.data).toEqual({ step: 'turns/0/model', text: 'It is just about' });
    expect(events.at(-1)?.id).toBe(events.at(-2)?.id);
    stream.go();
    expect(await project.wait(id)).toMatchObject({ result: { output: 'It is just about done.' } });

    const again = slowly();
    const visitor = await connectAgent(doorOf(project));
    const messages = await hearProgress(visitor, 'ability_run', { id: 'counter', input: { request: 'x' } }, (text) => {
      if (text.includes('It is just about')) again.go();
    });
    expect(messages).toContain('turns/0/model: It is just about');
    await visitor.close();
  });

  test('adds less than 8 KiB of history per turn, and no more in the last turns than in the first', async () => {
    const pad = 'p'.repeat(500);
    endpoint.behave(
      streams(({ body }) => {
        const count = body.messages.filter(({ role }) => role === 'tool').length;
        const usage = { prompt_tokens: 100, completion_tokens: 10 };
        if (count >= 100) return { text: 'done', usage };
        return { text: 'Next.', calls: [{ name: 'note_add', arguments: JSON.stringify({ n: count, pad }) }], usage };
      }),
    );
    const result = await project.run('steady', { request: 'Note a hundred times.' });
    expect(result).toMatchObject({ status: 'succeeded', agent: { turns: 101, calls: 100 } });
    const { events = [] } = await project.connection.temporal.workflow
      .getHandle(result.task_key as string)
      .fetchHistory();
    const sizes = (events ?? []).flatMap(({ workflowTaskStartedEventAttributes: started }) =>
      started ? [Number(started.historySizeBytes)] : [],
    );
    const grown = (from: number, to: number) => (sizes.at(to) as number) - (sizes.at(from) as number);
    expect(grown(0, -1) / 100).toBeLessThan(8 * 1024);
    expect(grown(-21, -1)).toBeLessThan(1.1 * grown(20, 40));
  });
});
