import type { Readable, Writable } from 'node:stream';
import type { Server } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { createServer } from './create-server.js';
import type { McpDoor, Visitor } from './mcp-door.js';
import { watchExposed } from './watch-exposed.js';

/** A message may be this large: above what arguments may have, so that these are refused with a reason. */
const MOST_MESSAGE_BYTES = 32 * 1024 * 1024;

/** A transport that says when it is closed, by whatever side. */
class ToldTransport extends StdioServerTransport {
  readonly closed: Promise<void>;
  private tell = (): void => {};

  constructor(stdin: Readable, stdout: Writable) {
    super(stdin, stdout, { maxBufferSize: MOST_MESSAGE_BYTES });
    this.closed = new Promise((resolve) => {
      this.tell = resolve;
    });
  }

  override async close(): Promise<void> {
    await super.close();
    this.tell();
  }
}

/**
 * Serves one caller over a pair of streams, in whichever protocol they begin with, until they close or the signal fires.
 */
export async function serveCaller(
  door: McpDoor,
  visitor: Visitor,
  { stdin, stdout, signal }: { stdin: Readable; stdout: Writable; signal: AbortSignal },
): Promise<void> {
  const transport = new ToldTransport(stdin, stdout);
  const servers = new Set<Server>();
  const make = (): Server => {
    const server = createServer(door, visitor);
    servers.add(server);
    server.onclose = () => servers.delete(server);
    return server;
  };
  const handle = serveStdio(make, { transport, onerror: (error) => door.note(error.message) });
  const stopWatching = watchExposed(door, () => {
    for (const server of servers) server.sendToolListChanged().catch((error) => door.note(String(error)));
  });
  const end = (): void => void handle.close();
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  await transport.closed;
  signal.removeEventListener('abort', end);
  stopWatching();
}
