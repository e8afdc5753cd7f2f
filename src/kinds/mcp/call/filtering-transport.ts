import type { Transport, TransportSendOptions } from '@modelcontextprotocol/client';
import type { Json } from '../../../contracts/json.js';
import { type Reading, withoutMarks } from '../../../text/lossless-json/marked-json.js';
import type { ChildTransport } from './child-transport.js';

type Message = Parameters<Transport['send']>[0];

const AS_USUAL: Reading = { integers: 'round', code: 'mcp.output_invalid', what: 'A message' };

/** Key of the tools in a filtered listing; it overwrites a server's own value there. */
export const LISTED = 'ability-runtime/listed';

/**
 * Hides listed tools from the SDK, which refuses a whole listing for one malformed tool; they are under {@link
 * LISTED} as the server wrote them. As this is no transport of the SDK, the SDK negotiates the protocol version
 * over this very connection, and starts no second process.
 */
export class FilteringTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport['onmessage']>;
  /** Whether the handshake of protocols before 2026-07-28 has begun. */
  handshaken = false;
  /** Methods of the requests for tools and of their calls that are not answered yet, by id. */
  private readonly asked = new Map<string | number, string>();

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
    this.inner.onmessage = (message: Message) => this.onmessage?.(this.read(message));
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
    const { method } = message;
    if (method === 'initialize') this.handshaken = true;
    if ((method === 'tools/list' || method === 'tools/call') && 'id' in message) this.asked.set(message.id, method);
    const given = method === 'notifications/cancelled' ? message.params?.requestId : undefined;
    if (typeof given === 'string' || typeof given === 'number') this.asked.delete(given);
  }

  /** Reads values outside of outputs as JavaScript does, such as the largest number of a schema. */
  private read(message: Message): Message {
    const id = 'method' in message ? undefined : message.id;
    const method = id === undefined ? undefined : this.asked.get(id);
    if (id !== undefined) this.asked.delete(id);
    // The call reads the marks in its answer.
    if (method === 'tools/call') return message;
    const read = withoutMarks(message as unknown as Json, AS_USUAL) as unknown as Message;
    if (method !== 'tools/list' || !('result' in read) || !Array.isArray(read.result.tools)) return read;
    return { ...read, result: { ...read.result, tools: [], [LISTED]: read.result.tools } };
  }
}

/** For a child process: `stderr` and `pid` keep the SDK from treating silence as an outage. */
export class FilteringStdioTransport extends FilteringTransport {
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
