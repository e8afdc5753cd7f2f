import * as client from '../../client/index.js';
import { type Reached, reached } from './connection.js';

/**
 * Starts a session once the hooks of its start allow it; an open one of that id is that very session.
 *
 * @throws AbilityError `guard.denied`, `hook.failed`, `session.key_conflict`, `session.stopped`, `usage.invalid`.
 */
export const startSession: Reached<typeof client.startSession> = reached(client.startSession);

/**
 * Says something in a session. Gives its turn context: the hints of hooks, guards and risks.
 *
 * @throws AbilityError `session.not_found`, `session.stopped`, `usage.invalid`.
 */
export const promptSession: Reached<typeof client.promptSession> = reached(client.promptSession);

/** A session as it is now. @throws AbilityError `session.not_found`. */
export const showSession: Reached<typeof client.showSession> = reached(client.showSession);

/** Stops a session; its tasks go on. @throws AbilityError `session.not_found`. */
export const stopSession: Reached<typeof client.stopSession> = reached(client.stopSession);

/**
 * The loop of an AI over abilities: its plans are checked, run, and their results given back.
 *
 * @throws AbilityError `usage.invalid`, `planner.*`, `session.*`.
 */
export const runSession: Reached<typeof client.runSession> = reached(client.runSession);
