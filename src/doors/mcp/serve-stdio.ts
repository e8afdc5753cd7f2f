import { type Readable, Transform, type Writable } from 'node:stream';
import type { Server, Transport } from '@modelcontextprotocol/server';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { createServer } from './create-server.js';
import { watchExposed } from './expose-abilities.js';
import type { McpDoor, Visitor } from './mcp-door.js';
import { readMessage } from './read-message.js';

/** Above the limit of arguments, so that too large ones are refused with a reason. */
const MAX_MESSAGE_BYTES = 32 * 1024 * 1024;

/** Closes when a message exceeds the maximum; reads nothing more once it is closed. */
export function transportOver(stdin: Readable, stdout: Writable): Transport {
  const lines = readMessages(stdout);
  stdin.on('error', (error) => lines.destroy(error)).pipe(lines);
  const transport = new StdioServerTransport(lines, stdout, { maxBufferSize: MAX_MESSAGE_BYTES });
  const close = transport.close.bind(transport);
  transport.close = async () => {
    // A process whose stdin flows does not end.
    stdin.unpipe(lines).pause();
    await close();
  };
  return transport;
}

const LINE_FEED = 0x0a;

/**
 * Passes lines on as {@link readMessage}, and as they are from the moment when one exceeds the maximum; answers those
 * that it refuses.
 */
function readMessages(stdout: Writable): Transform {
  const read = (line: Buffer): string => {
    const message = readMessage(line);
    if ('text' in message) return `${message.text}\n`;
    stdout.write(`${message.refusal}\n`);
    return '';
  };
  let pieces: Buffer[] = [];
  let bytes = 0;
  return new Transform({
    transform(piece: Buffer, _, done) {
      pieces.push(piece);
      bytes += piece.length;
      const end = piece.lastIndexOf(LINE_FEED);
      if (end < 0 && bytes <= MAX_MESSAGE_BYTES) return done();
      const whole = Buffer.concat(pieces);
      const kept = end < 0 ? whole.length : whole.length - (piece.length - end - 1);
      pieces = [whole.subarray(kept)];
      bytes = whole.length - kept;
      done(null, end < 0 ? whole : linesOf(whole.subarray(0, kept)).map(read).join(''));
    },
    flush: (done) => done(null, Buffer.concat(pieces)),
  });
}

/** Each without its line feed, with which the last one ends. */
function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let from = 0, end = bytes.indexOf(LINE_FEED); end >= 0; from = end + 1, end = bytes.indexOf(LINE_FEED, from)) {
    lines.push(bytes.subarray(from, end));
  }
  return lines;
}

/** Serves one caller over a transport, in whichever protocol they begin with, until it closes or the signal fires. */
export async function serveCaller(
  door: McpDoor,
  visitor: Visitor,
  transport: Transport,
  signal: AbortSignal,
): Promise<void> {
  const servers = new Set<Server>();
  const make = (): Server => {
    const server = createServer(door, visitor);
    servers.add(server);
    server.onclose = () => servers.delete(server);
    return server;
  };
  const handle = serveStdio(make, { transport, onerror: (error) => door.note(error.message) });
  const closed = untilClosed(transport);
  const stopWatching = watchExposed(door, () => {
    for (const server of servers) server.sendToolListChanged().catch((error) => door.note(String(error)));
  });
  const end = (): void => void handle.close();
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  await closed;
  signal.removeEventListener('abort', end);
  stopWatching();
}

/** Resolves when either side closes the transport. */
function untilClosed(transport: Transport): Promise<void> {
  const { onclose } = transport;
  return new Promise((resolve) => {
    transport.onclose = () => {
      onclose?.();
      resolve();
    };
  });
}
