import { allOperations } from '../../../operations/operations.js';
import { callRoute, routeOf } from '../operation-route.js';
import type { Route } from '../route.js';
import { healthRoute, meRoute, metricsRoute } from './about.js';
import { fileRoute, keepFileRoute } from './files.js';
import { loginRoutes } from './login.js';
import { slackRoute } from './slack.js';
import { webhookRoutes } from './webhooks.js';

/** Every route of the door except that of the OpenAPI document. */
export const ROUTES: readonly Route[] = [
  ...allOperations().map(([name, operation]) => routeOf(name, operation as never)),
  callRoute,
  fileRoute,
  keepFileRoute,
  ...webhookRoutes,
  slackRoute,
  ...loginRoutes,
  meRoute,
  healthRoute,
  metricsRoute,
];
