import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { modelRouter } from '../../../src/choosing/decide/model-router.js';
import { AbilityError } from '../../../src/contracts/problem.js';
import { embedThrough } from '../../../src/models/embeddings-endpoint.js';
import { currentTraceparent, inOwnTrace } from '../../../src/tracing/current-span.js';
import type { EndedSpan, Tracer } from '../../../src/tracing/open-tracer.js';
import { traceModelCall } from '../../../src/tracing/trace-model-call.js';
import { answerBody, openChatEndpoint } from '../../fixtures/servers/chat-endpoint.js';

const spans: EndedSpan[] = [];
const tracer: Tracer = {
  recordsContents: false,
  isSampled: () => true,
  write: (span) => void spans.push(span),
  close: async () => {},
};
const endpoint = await openChatEndpoint(answerBody('{}'));
afterAll(() => endpoint.close());
beforeEach(() => {
  spans.length = 0;
});

const url = new URL(`${endpoint.base}/chat/completions`);
const allowed = [url.host];
const around = <T>(work: () => Promise<T>) => inOwnTrace(tracer, { name: 'around', attributes: {} }, work);

/** The span of the request, checked to be inside the span around it. */
const written = () => {
  const [request, outer] = spans;
  expect(spans.map(({ name }) => name).at(-1)).toBe('around');
  expect(request?.parent).toBe(outer?.context.span);
  expect(request?.context.trace).toBe(outer?.context.trace);
  return request as EndedSpan;
};

describe('a request to a model (issue 15, item 6)', () => {
  test('has a span with the request settings and the usage, and no message text', async () => {
    const message = { role: 'assistant', content: 'an-answer-word' };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    const usage = {
      prompt_tokens: 12,
      completion_tokens: 3,
      total_tokens: 15,
      prompt_tokens_details: { cached_tokens: 4 },
    };
    endpoint.behave(answerBody(JSON.stringify({ id: 'chat-1', model: 'small-2026', choices, usage })));
    const model = { url: new URL(endpoint.base), allowed, key: 'the-key-of-it', model: 'small', timeoutMs: 20_000 };
    const router = modelRouter(model as never);
    const focus = { anchor: null, candidates: [], pending: null, lane: { window: [] } };
    const input = { text: 'a-request-word', focus, agents: [], tools: [], workflows: [] };
    await around(() => router.choose(input as never).catch(() => undefined));
    const [first] = spans;
    expect(first).toMatchObject({
      name: 'chat small',
      isRequest: true,
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.provider.name': 'openai',
        'gen_ai.request.model': 'small',
        'gen_ai.output.type': 'json',
        'gen_ai.response.id': 'chat-1',
        'gen_ai.response.model': 'small-2026',
        'gen_ai.response.finish_reasons': ['stop'],
        'gen_ai.usage.input_tokens': 12,
        'gen_ai.usage.cache_read.input_tokens': 4,
        'gen_ai.usage.output_tokens': 3,
        'server.address': '127.0.0.1',
        'server.port': Number(url.port),
      },
      error: undefined,
    });
    expect(JSON.stringify(spans)).not.toMatch(/an-answer-word|a-request-word|the-key-of-it/);
  });

  test('has an error with the received status', async () => {
    endpoint.behave(answerBody('{"error":{"message":"SECRET"}}', 429));
    const settings = { url: new URL(`${endpoint.base}/embeddings`), allowed, model: 'vectors', timeoutMs: 20_000 };
    const embed = embedThrough(settings as never);
    await expect(around(() => embed(['a'], new AbortController().signal))).rejects.toThrow('answered 429');
    expect(written()).toMatchObject({ name: 'embeddings vectors', error: '429' });
    expect(JSON.stringify(spans)).not.toContain('SECRET');
  });

  test('has an error with the code of the thrown error, which is passed on unchanged', async () => {
    const thrown = new AbilityError({ code: 'limit.max_calls', message: 'no' });
    const call = around(() => traceModelCall({ operation: 'chat', model: 'm', url }, () => Promise.reject(thrown)));
    await expect(call).rejects.toBe(thrown);
    expect(written()).toMatchObject({ name: 'chat m', error: 'limit.max_calls' });
  });

  test('reports only valid values of an answer', async () => {
    const odd = {
      id: 7,
      model: { a: 1 },
      finishReasons: undefined,
      inputTokens: Number.NaN,
      outputTokens: '3',
    } as never;
    await around(() => traceModelCall({ operation: 'chat', model: 'm', url }, async (report) => report(() => odd)));
    expect(written().attributes).not.toHaveProperty('gen_ai.response.id', 7);
    for (const name of [
      'gen_ai.response.id',
      'gen_ai.response.model',
      'gen_ai.usage.input_tokens',
      'gen_ai.usage.output_tokens',
    ]) {
      expect(written().attributes[name]).toBeUndefined();
    }
  });

  test('only does the work if no traces are written, and the answer is not read', async () => {
    const read = () => {
      throw new Error('read');
    };
    const traceparent = await traceModelCall({ operation: 'chat', model: 'm', url }, async (report) => {
      report(read);
      return currentTraceparent() ?? 'none';
    });
    expect(traceparent).toBe('none');
    expect(spans).toEqual([]);
  });
});
