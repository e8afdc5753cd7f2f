import { followEvents, keepingRuntime } from '../../../client/index.js';
import { withModelOutput } from '../../answers/with-model-output.js';
import { eventAnswer, keyParams } from '../formats.js';
import { defineRoute, type Route } from '../route.js';
import { takeListener } from '../take-listener.js';
import { writeEvents } from '../write-events.js';

/** The route on which a caller hears what happens to a task. */
export const eventRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/tasks/{key}/events',
    summary: 'The events of a task from its creation until its end, as they happen (server-sent events).',
    right: 'read',
    params: keyParams,
    headers: { 'Last-Event-ID': 'The last event that came: only those behind it are sent.' },
    answers: { 200: { means: 'Each `data` is one of these.', schema: eventAnswer, type: 'text/event-stream' } },
    handle: ({ door, caller, params: { key }, headers, signal, raw }) =>
      door.ask(async (connection) => {
        const leave = takeListener(door, caller, key);
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
