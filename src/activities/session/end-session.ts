import type { JsonObject } from '../../contracts/json.js';
import type { EndSessionAnswer, EndSessionRequest } from '../../contracts/session.js';
import { askEvent } from './ask-event.js';
import { eventActivities, type SessionDependencies } from './event-activities.js';
import { followTasks } from './follow-tasks.js';

/** Runs the hooks at the end of a session; they serve the infrastructure, and change nothing. Source: R-002-26, R-002-48. */
export function createEndSession(
  dependencies: SessionDependencies,
): (request: EndSessionRequest) => Promise<EndSessionAnswer> {
  return eventActivities('SessionStop', dependencies, async (request: EndSessionRequest, planned, signal) => {
    const { reason, turns, moment } = request;
    const { tasks } = await followTasks(request.tasks, dependencies.sessions);
    const told = tasks.map(({ task_key, ability_id, status }): JsonObject => ({ task_key, ability_id, status }));
    const payload = () => ({ reason, turns, tasks: told });
    return { tasks, hooks: await askEvent(planned, { payload, moment }, request, dependencies, signal) };
  }).ask;
}
