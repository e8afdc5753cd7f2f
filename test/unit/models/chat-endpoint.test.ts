import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { ChatEndpoint, requestForJson, textOf } from '../../../src/models/chat-endpoint.js';
import { EndpointRefusal } from '../../../src/models/model-endpoint.js';
import { modelProvider } from '../../../src/operations/begin-agent.js';
import { answerBody, answerChat, type ChatBehaviour, openChatEndpoint } from '../../fixtures/servers/chat-endpoint.js';

const endpoint = await openChatEndpoint(answerChat(() => '{}'));
afterAll(() => endpoint.close());
beforeEach(() => {
  endpoint.requests.length = 0;
});

const model = { url: new URL(endpoint.base), allowed: [endpoint.host] };
const request = requestForJson('small', [{ role: 'user', content: 'hello' }]);
const ask = async (ms: number, waits: string[] = []) => {
  const chat = new ChatEndpoint(model, { timeoutMs: 5000, maxBytes: 10_000 });
  return textOf(await chat.completeWithin(ms, request, AbortSignal.timeout(ms), (until) => waits.push(until)));
};
/** Refuses the first requests, then answers. */
const refusing = (times: number, status: number, headers: Record<string, string>, body = '{}'): ChatBehaviour => {
  let left = times;
  return (response, received) => {
    left -= 1;
    const behaviour = left >= 0 ? answerBody(body, status, headers) : answerChat(() => 'fine');
    behaviour(response, received);
  };
};

describe('a rate limit of the endpoint', () => {
  test.each([
    ['Retry-After', 429, { 'retry-after': '1' }],
    ['its own field', 429, { 'x-ratelimit-reset-requests': '300ms', 'x-ratelimit-remaining-requests': '0' }],
    ['Retry-After of a busy server', 503, { 'retry-after': '1' }],
  ])('is waited for, by %s', async (_, status, headers) => {
    endpoint.behave(refusing(2, status, headers as Record<string, string>));
    const waits: string[] = [];
    expect(await ask(5000, waits)).toBe('fine');
    expect(waits).toHaveLength(2);
    expect(Date.parse(waits[0] as string)).toBeGreaterThan(0);
  });

  test.each([
    ['that ends later than the answer is needed', 429, { 'retry-after': '60' }, '{}'],
    ['of which the endpoint does not say when it ends', 429, {}, '{}'],
    ['that is a quota', 429, { 'retry-after': '1' }, '{"error":{"code":"insufficient_quota"}}'],
    ['of another status', 401, { 'retry-after': '1' }, '{}'],
  ])('%s fails at once', async (_, status, headers, body) => {
    endpoint.behave(refusing(1, status, headers as Record<string, string>, body));
    await expect(ask(3000)).rejects.toBeInstanceOf(EndpointRefusal);
    expect(endpoint.requests).toHaveLength(1);
  });

  test('the planner says that it waits, and until when', async () => {
    endpoint.behave(refusing(1, 429, { 'retry-after': '1' }));
    const notes: string[] = [];
    const planner = modelProvider({ ...model, model: 'small', timeoutMs: 5000 }, (text) => notes.push(text));
    expect(await planner.ask({} as never, {} as never, new AbortController().signal)).toBe('fine');
    expect(notes).toEqual([expect.stringMatching(/^The model has a rate limit; it is asked again at \d{4}-.*Z$/)]);
  });
});
