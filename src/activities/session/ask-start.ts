import type { HookAnswer } from '../../contracts/hooks.js';
import type { AskStartRequest } from '../../contracts/session.js';
import { askEvent } from './ask-event.js';
import { type EventActivities, eventActivities, type SessionDependencies } from './event-activities.js';

const DAY_MS = 24 * 60 * 60_000;

/** Runs the hooks at the start of a session, of which a denial or a failure refuses it. Source: decision 16. */
export function createAskStart(dependencies: SessionDependencies): EventActivities<AskStartRequest, HookAnswer[]> {
  return eventActivities('SessionStart', dependencies, (request: AskStartRequest, planned, signal) => {
    const { scope, session_id, user, moment } = request;
    const payload = async () => {
      const started_last_day = await dependencies.sessions.countStarts(user.name, moment - DAY_MS, session_id);
      return { scope, started_last_day };
    };
    return askEvent(planned, { payload, moment }, request, dependencies, signal);
  });
}
