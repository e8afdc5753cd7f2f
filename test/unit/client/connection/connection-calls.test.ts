import { getEventListeners } from 'node:events';
import { constants, createServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { Connection, defaultGrpcRetryOptions } from '@temporalio/client';
import { expect, onTestFinished, test } from 'vitest';
import { ConnectionCalls } from '../../../../src/client/connection/connection-calls.js';

/** A server that answers UNAVAILABLE first, and then not at all; with the number of requests. */
async function connectToSilentServer(delayMs: number): Promise<{ connection: Connection; requests: () => number }> {
  let requests = 0;
  const streams: ServerHttp2Stream[] = [];
  const server = createServer().on('stream', (stream) => {
    stream.on('error', () => {});
    streams.push(stream);
    requests += 1;
    if (requests === 1) stream.respond({ ':status': 200, 'grpc-status': '14' }, { endStream: true });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const retry = { ...defaultGrpcRetryOptions(), delayFunction: () => delayMs };
  const calls = new ConnectionCalls(retry);
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const connection = calls.attach(Connection.lazy({ address, interceptors: [calls.interceptor] }));
  onTestFinished(async () => {
    await connection.close();
    for (const { session } of streams) session?.destroy();
    server.close();
  });
  return { connection, requests: () => requests };
}

const CANCELLED = { code: 1 };
const ask = (connection: Connection): Promise<unknown> => connection.workflowService.getSystemInfo({});

test('a signal ends the second attempt of a call, and the delay before it', async () => {
  for (const [delayMs, attempts] of [
    [1, 2],
    [60_000, 1],
  ] as const) {
    const { connection, requests } = await connectToSilentServer(delayMs);
    const stop = new AbortController();
    const call = connection.withAbortSignal(stop.signal, () => ask(connection));
    call.catch(() => {});
    await expect.poll(requests).toBe(attempts);
    stop.abort();
    await expect(call).rejects.toMatchObject(CANCELLED);
  }
});

test('a call under a signal that has fired is not awaited', async () => {
  const { connection } = await connectToSilentServer(1);
  const call = connection.withAbortSignal(AbortSignal.abort(), () => ask(connection));
  await expect(call).rejects.toMatchObject(CANCELLED);
});

test('calls that have ended leave no listener at their signal, however many there are', async () => {
  const { connection } = await connectToSilentServer(1);
  const { signal } = new AbortController();
  const deadline = (): number => Date.now() + 20;
  for (let n = 0; n < 3; n += 1) {
    const call = connection.withAbortSignal(signal, () => connection.withDeadline(deadline(), () => ask(connection)));
    await expect(call).rejects.toMatchObject({ code: expect.any(Number) });
  }
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test('closing a connection ends its calls, whichever attempt is running', async () => {
  const { connection, requests } = await connectToSilentServer(1);
  const call = ask(connection);
  call.catch(() => {});
  await expect.poll(requests).toBe(2);
  await connection.close();
  await expect(call).rejects.toMatchObject(CANCELLED);
});

test('a deadline ends a call that waits for its next attempt, with the error of the server', async () => {
  const { connection } = await connectToSilentServer(60_000);
  const call = connection.withDeadline(Date.now() + 5000, () => ask(connection));
  await expect(call).rejects.toMatchObject({ code: 14 });
});

test('a call that the server cancels is late at its deadline, and cancelled before', async () => {
  const server = createServer().on('stream', (stream) => {
    stream.on('error', () => {});
    stream.close(constants.NGHTTP2_CANCEL);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const calls = new ConnectionCalls(defaultGrpcRetryOptions());
  const address = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const connection = calls.attach(Connection.lazy({ address, interceptors: [calls.interceptor] }));
  onTestFinished(async () => {
    await connection.close();
    server.close();
  });
  const within = (ms: number) => connection.withDeadline(Date.now() + ms, () => ask(connection));
  await expect(within(450)).rejects.toMatchObject({ code: 4 });
  await expect(within(60_000)).rejects.toMatchObject(CANCELLED);
});
