import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CallLog } from '../../../../src/activities/call/call-log.js';
import { askEndpoint } from '../../../../src/activities/model/ask-endpoint.js';
import type { Question } from '../../../../src/activities/model/model-request.js';
import {
  type Answer,
  breakOff,
  type RecordingService,
  sayNothing,
  send,
  startService,
} from '../../../fixtures/servers/recording-service.js';

const PATH = '/v1/chat/completions';
const QUESTION: Question = { instructions: 'be kind', messages: [], note: 'now', tools: [], most: undefined };

let service: RecordingService;
beforeAll(async () => {
  service = await startService();
});
afterAll(() => service.stop());

/** A stream of chunks, each with what one choice says. */
function says(...chunks: object[]): Answer {
  const events = chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('');
  return send(200, 'text/event-stream', `${events}data: [DONE]\n\n`);
}
const delta = (said: object, finish_reason: string | null = null) => ({
  choices: [{ index: 0, delta: said, finish_reason }],
});
const end = (reason = 'stop') => delta({}, reason);

async function ask(
  answer: Answer,
  question: Partial<Question> = {},
  { stop = new AbortController().signal, signal = new AbortController().signal, key = 'the-model-key' } = {},
) {
  service.on(PATH, answer);
  const log = new CallLog(undefined, '', 1);
  const model = { name: 'm-1', allowed_hosts: [`127.0.0.1:${service.port}`] };
  const env = { OPENAI_BASE_URL: `${service.origin}/v1`, OPENAI_API_KEY: key };
  const said = await askEndpoint(model as never, { ...QUESTION, ...question }, { stop, signal, log }, env);
  return { said, log, request: JSON.parse(service.requestsOf(PATH).at(-1)?.body ?? '{}') };
}

describe('a question to a model', () => {
  test('has its instructions first and its note last, and no tools where there are none', async () => {
    const { request } = await ask(says(delta({ content: 'hi' }), end()));
    expect(request).toEqual({
      model: 'm-1',
      stream: true,
      stream_options: { include_usage: true },
      messages: [
        { role: 'system', content: 'be kind' },
        { role: 'user', content: 'now' },
      ],
    });
    expect(service.requestsOf(PATH).at(-1)?.headers.authorization).toBe('Bearer the-model-key');
  });

  test('has the transcript between them, its tools and the length of the answer', async () => {
    const calls = [{ id: 'c', name: 'read', arguments: '{}' }];
    const { request } = await ask(says(end()), {
      messages: [
        { role: 'user', content: 'u' },
        { role: 'assistant', content: '', calls },
        { role: 'tool', id: 'c', content: 't' },
        { role: 'assistant', content: 'done' },
      ],
      tools: [{ name: 'read', description: 'd', parameters: {} }],
      most: 7,
    });
    expect(request.messages.slice(1, -1)).toEqual([
      { role: 'user', content: 'u' },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'read', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'c', content: 't' },
      { role: 'assistant', content: 'done' },
    ]);
    expect(request.tools).toEqual([{ type: 'function', function: { name: 'read', description: 'd', parameters: {} } }]);
    expect(request.max_completion_tokens).toBe(7);
  });
});

describe('what a model says', () => {
  test('is put together from its parts, and is in the log as it comes', async () => {
    const usage = { choices: [], usage: { prompt_tokens: 5, completion_tokens: 2 } };
    const { said, log } = await ask(says(delta({ content: 'hel' }), delta({ content: 'lo' }), end(), usage));
    expect(said).toEqual({ text: 'hello', calls: [], usage: { input: 5, output: 2 }, isCut: false });
    expect(log.tailOf('stdout')).toBe('hello');
  });

  test('is cut where its length ended it', async () => {
    expect((await ask(says(delta({ content: 'a' }), end('length')))).said.isCut).toBe(true);
  });

  test.each([
    ['no tokens at all', { prompt_tokens: 0, completion_tokens: 0 }],
    ['a number that is none', { prompt_tokens: '5', completion_tokens: 2 }],
    ['less than nothing', { prompt_tokens: 5, completion_tokens: -1 }],
  ])('has no usage where it counts %s', async (_, usage) => {
    expect((await ask(says(end(), { choices: [], usage }))).said.usage).toBeUndefined();
  });

  test('may be calls, whose parts come in turn', async () => {
    const part = (index: number, more: object) => delta({ tool_calls: [{ index, ...more }] });
    const { said } = await ask(
      says(
        part(0, { id: 'c-0', function: { name: 'read', arguments: '{"a"' } }),
        part(1, { function: { name: 'write', arguments: '{}' } }),
        part(0, { function: { arguments: ':1}' } }),
        end('tool_calls'),
      ),
    );
    expect(said.calls).toEqual([
      { id: 'c-0', name: 'read', arguments: '{"a":1}' },
      { id: 'call_1', name: 'write', arguments: '{}' },
    ]);
  });
});

describe('a model that gives no answer', () => {
  test.each<[string, Answer, string, boolean]>([
    ['whose answer ends early', says(delta({ content: 'a' })), 'model.unavailable', false],
    ['whose answer is filtered', says(end('content_filter')), 'model.rejected', true],
    [
      'that says more than is read',
      says(delta({ content: 'x'.repeat(1_000_001) }), end()),
      'model.answer_broken',
      false,
    ],
    [
      'that asks for more calls than may be',
      says(delta({ tool_calls: Array.from({ length: 101 }, (_, index) => ({ index })) }), end()),
      'model.answer_broken',
      false,
    ],
    ['that refuses the request', send(401, 'application/json', '{}'), 'model.rejected', true],
    ['that does not know it', send(404, 'application/json', '{}'), 'model.rejected', true],
    ['that is busy', send(429, 'application/json', '{}'), 'model.unavailable', false],
    ['that fails', send(500, 'application/json', '{}'), 'model.unavailable', false],
    ['that redirects', send(302, 'text/plain', '', { location: '/x' }), 'model.unavailable', false],
    ['that breaks off', breakOff, 'model.unavailable', false],
    ['that answers with no JSON', send(200, 'text/event-stream', 'data: {nothing\n\n'), 'model.unavailable', false],
  ])('%s', async (_, answer, code, isFinal) => {
    await expect(ask(answer)).rejects.toMatchObject({ code, isFinal });
  });

  test('in time', async () => {
    await expect(ask(sayNothing, {}, { stop: AbortSignal.timeout(50) })).rejects.toMatchObject({
      code: 'timeout.call',
    });
  });

  test('as nobody waits for it any more', async () => {
    const gone = new Error('cancelled');
    const signal = AbortSignal.abort(gone);
    await expect(ask(sayNothing, {}, { stop: AbortSignal.abort(gone), signal })).rejects.toBe(gone);
  });

  test.each([{}, { OPENAI_BASE_URL: 'http://10.0.0.1/v1' }])('as it is not configured: %j', async (env) => {
    const call = {
      stop: new AbortController().signal,
      signal: new AbortController().signal,
      log: new CallLog(undefined, '', 1),
    };
    const model = { name: 'm-1', allowed_hosts: ['models.test'] };
    await expect(askEndpoint(model as never, QUESTION, call, env)).rejects.toMatchObject({
      code: 'model.not_configured',
      isFinal: true,
    });
  });
});
