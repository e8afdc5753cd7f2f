import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { TaskEvent } from '../../contracts/task-events.js';

/** Proxies end streams on which nothing comes. */
const BEAT_MS = 15_000;

/**
 * Writes events as a stream of server-sent events, no faster than they are read, until they end or the client has gone.
 *
 * A stream that breaks cannot say why any more: the client comes back with the last id.
 */
export async function writeEvents(
  response: ServerResponse,
  events: AsyncIterable<TaskEvent>,
  signal: AbortSignal,
): Promise<void> {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-store',
    'x-accel-buffering': 'no',
    'x-content-type-options': 'nosniff',
  });
  response.flushHeaders();
  const beat = setInterval(() => response.write(': still here\n\n'), BEAT_MS);
  try {
    for await (const event of events) {
      if (signal.aborted) break;
      const text = `id: ${event.id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
      if (!response.write(text)) await once(response, 'drain', { signal });
    }
  } finally {
    clearInterval(beat);
    response.end();
  }
}
