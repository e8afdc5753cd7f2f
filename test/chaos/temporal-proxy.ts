/** Stands between a worker and Temporal, so that the worker can be stopped between any two messages. */
import http2, { type ClientHttp2Session, type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import protobuf from 'protobufjs/minimal.js';

/** One call of a worker to Temporal's API. */
export interface PassingCall {
  /** Such as `RespondWorkflowTaskCompleted`. */
  method: string;
  /** Whether it polls for tasks of workflows that the worker has in its memory. */
  sticky: boolean;
  /** Whether the worker no longer waits for the answer. */
  isGone(): boolean;
}

/** Decides when calls, and the answers to them, continue. */
export interface Gate {
  requested(call: PassingCall): Promise<void>;
  answered(call: PassingCall): Promise<void>;
}

/** A proxy of one Temporal server. */
export interface TemporalProxy {
  /** Address of the proxy, which serves one worker. */
  address: string;
  /** Without a gate everything passes. */
  gate: Gate | undefined;
  /** The number of open connections. */
  connections(): number;
  /** Withdraws polls for workflow tasks from the server and passes them to the gate. */
  withdrawPolls(): void;
  stop(): Promise<void>;
}

interface Answer {
  headers: IncomingHttpHeaders;
  body: Buffer;
  trailers: IncomingHttpHeaders | undefined;
}

const WORKFLOW_POLL = 'PollWorkflowTaskQueue';
const UNAVAILABLE = '14';
/** Before each message gRPC sends a compression flag and its length. */
const FRAME_BYTES = 5;
const STICKY = 2;

/** Starts a proxy on a free port of the loopback. */
export async function startProxy(server: string): Promise<TemporalProxy> {
  let upstream: ClientHttp2Session | undefined;
  const dial = (): ClientHttp2Session => {
    const session = http2.connect(`http://${server}`);
    const forget = (): void => {
      if (upstream === session) upstream = undefined;
    };
    session.on('error', forget);
    session.on('close', forget);
    // Every few minutes the server asks for a new connection.
    session.on('goaway', forget);
    return session;
  };
  const front = http2.createServer();
  const connections = new Set<http2.ServerHttp2Session>();
  const atServer = new Set<() => void>();
  front.on('session', (session) => {
    connections.add(session);
    session.on('close', () => connections.delete(session));
    session.on('error', () => {});
  });
  front.on('stream', (stream, headers) => {
    stream.on('error', () => {});
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () => void relay(stream, headers, Buffer.concat(chunks)));
  });

  async function relay(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, body: Buffer): Promise<void> {
    const method = String(headers[':path']).replace(/^.*\//, '');
    const call = { method, sticky: method === WORKFLOW_POLL && isSticky(body), isGone: () => stream.destroyed };
    for (;;) {
      await proxy.gate?.requested(call);
      if (stream.destroyed) return;
      const answer = await ask(stream, call, headers, body);
      if (answer === 'withdrawn') continue;
      if (!answer) return;
      await proxy.gate?.answered(call);
      if (!stream.destroyed) reply(stream, answer);
      return;
    }
  }

  /** @returns undefined when the worker no longer waits for the answer. */
  function ask(
    stream: ServerHttp2Stream,
    { method }: PassingCall,
    headers: IncomingHttpHeaders,
    body: Buffer,
  ): Promise<Answer | 'withdrawn' | undefined> {
    return new Promise((resolve) => {
      upstream ??= dial();
      const call = upstream.request({ ...headers, ':authority': server });
      const chunks: Buffer[] = [];
      let answer: Answer = {
        headers: { ':status': '200', 'grpc-status': UNAVAILABLE },
        body: Buffer.of(),
        trailers: undefined,
      };
      const leave = (): void => end(undefined);
      const withdraw = (): void => end('withdrawn');
      const end = (outcome: Answer | 'withdrawn' | undefined): void => {
        atServer.delete(withdraw);
        stream.off('close', leave);
        if (!call.closed) call.close(http2.constants.NGHTTP2_CANCEL);
        resolve(outcome);
      };
      stream.on('close', leave);
      if (method === WORKFLOW_POLL) atServer.add(withdraw);
      call.on('response', (given) => (answer = { ...answer, headers: given }));
      call.on('data', (chunk: Buffer) => chunks.push(chunk));
      call.on('trailers', (trailers) => (answer = { ...answer, trailers }));
      call.on('error', () => {});
      call.on('close', () => {
        const isAnswered = chunks.length > 0 || answer.headers['grpc-status'] !== UNAVAILABLE;
        // A poll that the server drops is treated as withdrawn.
        end(isAnswered || method !== WORKFLOW_POLL ? { ...answer, body: Buffer.concat(chunks) } : 'withdrawn');
      });
      call.end(body);
    });
  }

  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  const proxy: TemporalProxy = {
    address: `127.0.0.1:${(front.address() as AddressInfo).port}`,
    gate: undefined,
    connections: () => connections.size,
    withdrawPolls: () => {
      for (const withdraw of [...atServer]) withdraw();
    },
    stop: () =>
      new Promise((resolve) => {
        for (const session of connections) session.destroy();
        upstream?.destroy();
        front.close(() => resolve());
      }),
  };
  return proxy;
}

function reply(stream: ServerHttp2Stream, { headers, body, trailers }: Answer): void {
  if (!trailers) {
    stream.respond(headers, { endStream: body.length === 0 });
    if (body.length > 0) stream.end(body);
    return;
  }
  stream.respond(headers, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers(trailers));
  stream.end(body);
}

/** Reads `task_queue.kind` of a poll without the full definitions of Temporal. */
function isSticky(framed: Buffer): boolean {
  const TASK_QUEUE = 2;
  const KIND = 2;
  const message = framed.subarray(FRAME_BYTES);
  const isCompressed = framed[0] === 1;
  const queue = fieldsOf(isCompressed ? gunzipSync(message) : message).get(TASK_QUEUE);
  return queue instanceof Uint8Array && fieldsOf(queue).get(KIND) === STICKY;
}

function fieldsOf(message: Uint8Array): Map<number, number | Uint8Array> {
  const reader = protobuf.Reader.create(message);
  const fields = new Map<number, number | Uint8Array>();
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if ((tag & 7) === 0) fields.set(tag >>> 3, reader.uint32());
    else if ((tag & 7) === 2) fields.set(tag >>> 3, reader.bytes());
    else reader.skipType(tag & 7);
  }
  return fields;
}
