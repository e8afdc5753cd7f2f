import { z } from 'zod';
import { metricsOf } from '../metrics/door-metrics.js';
import { defineRoute, type Route } from '../route.js';

/** The figures of a door, for Prometheus. Each is in docs/metrics.md. */
export const metricsRoute: Route = defineRoute({
  method: 'GET',
  path: '/metrics',
  summary: 'Figures of the tasks, the queues and the door, for Prometheus.',
  right: 'read',
  answers: { 200: { means: 'In the text format of Prometheus.', schema: z.string(), type: 'text/plain' } },
  async handle({ door }) {
    const metrics = metricsOf(door);
    const body = await metrics.scrape(door);
    return { status: 200, body, headers: { 'content-type': metrics.contentType } };
  },
});
