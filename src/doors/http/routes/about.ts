import { checkRetention, keepingRuntime } from '../../../client/index.js';
import { healthAnswer } from '../formats.js';
import { defineRoute, type Route } from '../route.js';

const PATIENCE_MS = 3000;

/** Whether the door can do anything; it says nothing else, since anyone may ask. */
export const healthRoute: Route = defineRoute({
  method: 'GET',
  path: '/v1/health',
  summary: 'Whether Temporal answers.',
  right: null,
  answers: { 200: { means: 'It does.', schema: healthAnswer }, 503: { means: 'It does not.', schema: healthAnswer } },
  async handle({ door }) {
    try {
      await door.ask((connection) =>
        keepingRuntime(connection, () =>
          connection.temporal.withDeadline(Date.now() + PATIENCE_MS, () => checkRetention(connection)),
        ),
      );
      return { status: 200, body: { status: 'ok' } };
    } catch {
      return { status: 503, body: { status: 'unavailable' } };
    }
  },
});
