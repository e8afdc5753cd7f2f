import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { followEvents, keepingRuntime } from '../../../client/index.js';
import type { TaskEvent } from '../../../contracts/task-events.js';
import { withModelOutput } from '../../answers/with-model-output.js';
import { eventAnswer, keyParams } from '../formats.js';
import { reserveWait } from '../reserve-wait.js';
import { defineRoute, type Route } from '../route.js';

export const eventRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/tasks/{key}/events',
    summary: 'The events of a task from its creation until its end, as they happen (server-sent events).',
    right: 'read',
    params: keyParams,
    headers: { 'Last-Event-ID': 'The last event that was received: only later ones are sent.' },
    answers: { 200: { means: 'Each `data` is one of these.', schema: eventAnswer, type: 'text/event-stream' } },
    handle: ({ door, caller, params: { key }, headers, signal, raw }) =>
      door.ask(async (connection) => {
        const leave = reserveWait(door, caller, key);
        try {
          const last = headers['last-event-id'];
          const after = typeof last === 'string' ? last : undefined;
          const events = await keepingRuntime(connection, () => followEvents(connection, key, after, signal), signal);
          await writeEvents(raw, withModelOutput(connection, key, events, signal), signal);
        } finally {
          leave();
        }
        return undefined;
      }),
  }),
];

/** Proxies end idle streams. */
const BEAT_MS = 15_000;

/**
 * As fast as the client reads. A failure leaves the stream open for the door to break off; the client reconnects with
 * its last id.
 */
async function writeEvents(
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
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    clearInterval(beat);
  }
  response.end();
}
