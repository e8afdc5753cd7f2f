import type { Transport } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';
import { FilteringTransport, LISTED } from '../../../../src/activities/mcp/filtering-transport.js';

type Message = Parameters<Transport['send']>[0];

/** A transport over one that only keeps what it is given. */
async function filtering() {
  const sent: Message[] = [];
  const inner = {
    send: async (message: Message) => void sent.push(message),
    start: async () => {},
    close: async () => {},
  } as Transport;
  const transport = new FilteringTransport(inner);
  const seen: Message[] = [];
  transport.onmessage = (message) => void seen.push(message);
  await transport.start();
  const ask = (id: number, method: string, params: object = {}) =>
    transport.send({ jsonrpc: '2.0', id, method, params } as Message);
  const answer = (id: number, result: object) => inner.onmessage?.({ jsonrpc: '2.0', id, result } as Message);
  return {
    transport,
    inner,
    sent,
    seen,
    ask,
    answer,
    last: () => (seen.at(-1) as unknown as { result: Record<string, unknown> }).result,
  };
}

const LISTING = { tools: [{ name: 'ill', inputSchema: 7 }], nextCursor: 'c' };
const SIFTED = { tools: [], nextCursor: 'c', [LISTED]: LISTING.tools };

describe('the tools of a listing', () => {
  test('are hidden from the SDK, and kept as the server wrote them', async () => {
    const { ask, answer, last } = await filtering();
    await ask(1, 'tools/list');
    answer(1, LISTING);
    expect(last()).toEqual(SIFTED);
  });

  test('are hidden once for each question', async () => {
    const { ask, answer, last } = await filtering();
    await ask(1, 'tools/list');
    answer(1, LISTING);
    answer(1, LISTING);
    expect(last()).toEqual(LISTING);
  });

  test.each(['tools/call', 'prompts/list'])('are no matter of an answer to %s', async (method) => {
    const { ask, answer, last } = await filtering();
    await ask(1, method);
    answer(1, LISTING);
    expect(last()).toEqual(LISTING);
  });

  test('are left where they are in what is no list', async () => {
    const { ask, answer, last } = await filtering();
    await ask(1, 'tools/list');
    answer(1, { tools: 'none' });
    expect(last()).toEqual({ tools: 'none' });
  });

  test('are not hidden in the answer to a question that was taken back', async () => {
    const { transport, ask, answer, last } = await filtering();
    await ask(1, 'tools/list');
    await transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } } as Message);
    answer(1, LISTING);
    expect(last()).toEqual(LISTING);
  });
});

test('a handshake is noted, and no other request is one', async () => {
  const { transport, ask, sent } = await filtering();
  await ask(1, 'tools/list');
  expect(transport.handshaken).toBe(false);
  await ask(2, 'initialize');
  expect(transport.handshaken).toBe(true);
  expect(sent).toHaveLength(2);
});

test('requests of the server, and the ends of the connection, go on to the SDK', async () => {
  const { transport, inner, seen } = await filtering();
  const ends: unknown[] = [];
  transport.onclose = () => void ends.push('closed');
  transport.onerror = (error) => void ends.push(error.message);
  const ping = { jsonrpc: '2.0', id: 1, method: 'ping' } as Message;
  inner.onmessage?.(ping);
  inner.onerror?.(new Error('broken'));
  inner.onclose?.();
  expect(seen).toEqual([ping]);
  expect(ends).toEqual(['broken', 'closed']);
});
