import { Context } from '@temporalio/activity';
import type { JsonObject } from '../../contracts/json.js';
import type { EndSessionAnswer, EndSessionRequest } from '../../contracts/session.js';
import { RegistryLoader } from '../../definitions/load-registry.js';
import { beginAttempt } from '../attempt.js';
import { toFailure } from '../failures.js';
import { admitSession } from './admit-session.js';
import { askEvent } from './ask-event.js';
import type { SessionDependencies } from './ask-prompt.js';
import { followTasks } from './follow-tasks.js';

const EVENT_MS = 5 * 60_000;

/** Runs the hooks at the end of a session; they serve the infrastructure, and change nothing. Source: R-002-26, R-002-48. */
export function createEndSession(
  dependencies: SessionDependencies,
): (request: EndSessionRequest) => Promise<EndSessionAnswer> {
  const loader = new RegistryLoader(dependencies.root);
  return async (request) => {
    const context = Context.current();
    await admitSession(request, context.info, dependencies).catch((error: unknown) => {
      throw toFailure(error);
    });
    const attempt = beginAttempt(context, EVENT_MS, false);
    try {
      const { reason, turns, moment } = request;
      const { tasks } = await followTasks(request.tasks, dependencies.sessions);
      const told = tasks.map(({ task_key, ability_id, status }): JsonObject => ({ task_key, ability_id, status }));
      const event = { phase: 'SessionStop', payload: { reason, turns, tasks: told }, moment } as const;
      return { tasks, hooks: await askEvent(event, request, loader, dependencies, attempt.stop) };
    } finally {
      attempt.end();
    }
  };
}
