import type { Transport } from '@modelcontextprotocol/client';
import { describe, expect, test } from 'vitest';
import { FilteringTransport, LISTED } from '../../../../../src/kinds/mcp/call/filtering-transport.js';
import { markNumbers } from '../../../../../src/text/lossless-json/marked-json.js';

type Message = Parameters<Transport['send']>[0];

/** A filtering transport over one that only records what it is sent. */
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
  test('are hidden from the SDK, and kept exactly as the server wrote them', async () => {
    const { ask, answer, last } = await filtering();
    await ask(1, 'tools/list');
    answer(1, LISTING);
    expect(last()).toEqual(SIFTED);
  });

  test('are hidden once for each request', async () => {
    const { ask, answer, last } = await filtering();
    await ask(1, 'tools/list');
    answer(1, LISTING);
    answer(1, LISTING);
    expect(last()).toEqual(LISTING);
  });

  test.each(['tools/call', 'prompts/list'])('are not hidden in an answer to %s', async (method) => {
    const { ask, answer, last } = await filtering();
    await ask(1, method);
    answer(1, LISTING);
    expect(last()).toEqual(LISTING);
  });

  test('stay in place if they are not a list', async () => {
    const { ask, answer, last } = await filtering();
    await ask(1, 'tools/list');
    answer(1, { tools: 'none' });
    expect(last()).toEqual({ tools: 'none' });
  });

  test('are not hidden in the answer to a cancelled request', async () => {
    const { transport, ask, answer, last } = await filtering();
    await ask(1, 'tools/list');
    await transport.send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } } as Message);
    answer(1, LISTING);
    expect(last()).toEqual(LISTING);
  });
});

describe('numbers that a JSON number cannot hold', () => {
  const BIG = '12345678901234567890';
  const marked = () => JSON.parse(markNumbers(`{ "n": ${BIG} }`)) as object;

  test('keep their marks in the answer to a call, which reads them', async () => {
    const { ask, answer, last } = await filtering();
    await ask(1, 'tools/call');
    answer(1, marked());
    expect(last()).toEqual(marked());
  });

  test.each<[string, (parts: Awaited<ReturnType<typeof filtering>>) => Promise<unknown>]>([
    ['the answer to another request', ({ ask }) => ask(1, 'prompts/list')],
    [
      'a second answer to one call',
      async ({ ask, answer }) => {
        await ask(1, 'tools/call');
        answer(1, {});
      },
    ],
    [
      'the answer to a call that was taken back',
      async ({ ask, transport }) => {
        await ask(1, 'tools/call');
        await transport.send({
          jsonrpc: '2.0',
          method: 'notifications/cancelled',
          params: { requestId: 1 },
        } as Message);
      },
    ],
  ])('are rounded in %s', async (_, begin) => {
    const parts = await filtering();
    await begin(parts);
    parts.answer(1, marked());
    expect(parts.last()).toEqual({ n: Number(BIG) });
  });

  test('are rounded in what the server requests or reports', async () => {
    const { ask, inner, seen } = await filtering();
    await ask(1, 'tools/call');
    inner.onmessage?.({ jsonrpc: '2.0', id: 1, method: 'ping', params: marked() } as Message);
    inner.onmessage?.({ jsonrpc: '2.0', method: 'notifications/x', params: marked() } as Message);
    for (const message of seen) expect(message).toMatchObject({ params: { n: Number(BIG) } });
  });
});

test('the session, the version and the streams are those of the underlying transport', () => {
  const versions: string[] = [];
  const below = {
    sessionId: 's',
    hasPerRequestStream: true,
    setProtocolVersion: (version: string) => versions.push(version),
  };
  const transport = new FilteringTransport(below as never);
  transport.setProtocolVersion('2026-07-28');
  expect([transport.sessionId, transport.hasPerRequestStream, versions]).toEqual(['s', true, ['2026-07-28']]);
  const plain = new FilteringTransport({} as never);
  plain.setProtocolVersion('2026-07-28');
  expect([plain.sessionId, plain.hasPerRequestStream]).toEqual([undefined, false]);
});

test('a handshake is recorded, and no other request counts as one', async () => {
  const { transport, ask, sent } = await filtering();
  await ask(1, 'tools/list');
  expect(transport.handshaken).toBe(false);
  await ask(2, 'initialize');
  expect(transport.handshaken).toBe(true);
  expect(sent).toHaveLength(2);
});

test('requests of the server, and the errors and the end of the connection, are passed on to the SDK', async () => {
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
