import type { Transport, TransportSendOptions } from '@modelcontextprotocol/client';
import type { Json } from '../../contracts/json.js';
import { type Reading, withoutMarks } from '../lossless-json/marked-json.js';
import type { ChildTransport } from './child-transport.js';

type Message = Parameters<Transport['send']>[0];

const AS_USUAL: Reading = { integers: 'round', code: 'mcp.output_invalid', what: 'A message' };

/** Key of a listing's tools after sifting; a server's own value there is overwritten. */
export const LISTED = 'ability-runtime/listed';

/**
 * A transport that hides the tools of a listing from the SDK, which refuses a whole listing because of one malformed
 * tool.
 *
 * They are under {@link LISTED} as the server wrote them, each to be checked by itself. As this is not a transport of
 * the SDK itself, the SDK negotiates the protocol version over this very connection, and starts no second process.
 */
export class SiftingTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport['onmessage']>;
  /** Whether the handshake of the protocols before 2026-07-28 was begun. */
  handshaken = false;
  /** Requests for tools that are not answered yet. */
  private readonly asked = new Set<string | number>();
  /** Calls of tools that are not answered yet; their answers keep their marks, for the call to read. */
  private readonly called = new Set<string | number>();

  constructor(private readonly inner: Transport) {}

  get hasPerRequestStream(): boolean {
    return this.inner.hasPerRequestStream === true;
  }

  get sessionId(): string | undefined {
    return this.inner.sessionId;
  }

  setProtocolVersion(version: string): void {
    this.inner.setProtocolVersion?.(version);
  }

  start(): Promise<void> {
    this.inner.onclose = () => this.onclose?.();
    this.inner.onerror = (error: Error) => this.onerror?.(error);
    this.inner.onmessage = (message: Message) => this.onmessage?.(this.sift(this.read(message)));
    return this.inner.start();
  }

  send(message: Message, options?: TransportSendOptions): Promise<void> {
    if ('method' in message) this.note(message);
    return this.inner.send(message, options);
  }

  close(): Promise<void> {
    return this.inner.close();
  }

  private note(message: Extract<Message, { method: string }>): void {
    if (message.method === 'initialize') this.handshaken = true;
    if (message.method === 'tools/list' && 'id' in message) this.asked.add(message.id);
    if (message.method === 'tools/call' && 'id' in message) this.called.add(message.id);
    const given = message.method === 'notifications/cancelled' ? message.params?.requestId : undefined;
    if (typeof given === 'string' || typeof given === 'number') this.forget(given);
  }

  private forget(id: string | number): void {
    this.asked.delete(id);
    this.called.delete(id);
  }

  /** Values outside the output are read as JavaScript reads them, such as the largest number that a schema allows. */
  private read(message: Message): Message {
    const isAnswer = !('method' in message) && message.id !== undefined;
    if (isAnswer && this.called.delete(message.id as string | number)) return message;
    return withoutMarks(message as unknown as Json, AS_USUAL) as unknown as Message;
  }

  private sift(message: Message): Message {
    if ('method' in message || message.id === undefined || !this.asked.delete(message.id)) return message;
    if (!('result' in message) || !Array.isArray(message.result.tools)) return message;
    return { ...message, result: { ...message.result, tools: [], [LISTED]: message.result.tools } };
  }
}

/** The same for a child process; by these two the SDK knows one, and does not take silence for an outage. */
export class SiftingStdioTransport extends SiftingTransport {
  constructor(private readonly child: ChildTransport) {
    super(child);
  }

  get stderr(): ChildTransport['stderr'] {
    return this.child.stderr;
  }

  get pid(): ChildTransport['pid'] {
    return this.child.pid;
  }
}
