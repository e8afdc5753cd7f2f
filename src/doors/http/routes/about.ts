import { z } from 'zod';
import { checkRetention, keepingRuntime } from '../../../client/index.js';
import { healthAnswer } from '../formats.js';
import { metricsOf } from '../metrics/door-metrics.js';
import { defineRoute, type Route } from '../route.js';

const PATIENCE_MS = 3000;

/** Reports only whether the door works, since anyone may ask. */
export const healthRoute: Route = defineRoute({
  method: 'GET',
  path: '/v1/health',
  summary: 'Whether Temporal answers.',
  right: null,
  answers: { 200: { means: 'It does.', schema: healthAnswer }, 503: { means: 'It does not.', schema: healthAnswer } },
  async handle({ door }) {
    try {
      await door.ask((connection) => {
        const check = () => checkRetention(connection);
        return keepingRuntime(connection, () => connection.temporal.withDeadline(Date.now() + PATIENCE_MS, check));
      });
      return { status: 200, body: { status: 'ok' } };
    } catch {
      return { status: 503, body: { status: 'unavailable' } };
    }
  },
});

/** Metrics for Prometheus. docs/metrics.md lists them. */
export const metricsRoute: Route = defineRoute({
  method: 'GET',
  path: '/metrics',
  summary: 'Metrics of the tasks, the queues and the door, for Prometheus.',
  right: 'read',
  answers: { 200: { means: 'In the text format of Prometheus.', schema: z.string(), type: 'text/plain' } },
  async handle({ door }) {
    const metrics = metricsOf(door);
    const body = await metrics.scrape(door);
    return { status: 200, body, headers: { 'content-type': metrics.contentType } };
  },
});
