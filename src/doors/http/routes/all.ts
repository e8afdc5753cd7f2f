import type { Route } from '../route.js';
import { abilityRoutes } from './abilities.js';
import { healthRoute, metricsRoute } from './about.js';
import { approvalRoutes } from './approvals.js';
import { createRoutes } from './create.js';
import { eventRoutes } from './events.js';
import { sessionRoutes } from './sessions.js';
import { taskRoutes } from './tasks.js';
import { webhookRoutes } from './webhooks.js';

/** Every route of the door except that of the OpenAPI document. */
export const ROUTES: readonly Route[] = [
  ...createRoutes,
  ...taskRoutes,
  ...eventRoutes,
  ...approvalRoutes,
  ...abilityRoutes,
  ...sessionRoutes,
  ...webhookRoutes,
  healthRoute,
  metricsRoute,
];
